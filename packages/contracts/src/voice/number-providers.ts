/** Who connects a number with the telephone network: `sip` is a trunk that the workspace brings, the others are its accounts at carriers. */
export const numberProviders = ['sip', 'twilio', 'telnyx'] as const
export type NumberProvider = (typeof numberProviders)[number]

/** Carriers that stream the audio of calls on WebSockets. */
export const streamCarriers = ['twilio', 'telnyx'] as const
export type StreamCarrier = (typeof streamCarriers)[number]
