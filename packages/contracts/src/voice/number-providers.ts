/** Who connects a number with the telephone network: `sip` is a trunk that the workspace brings. */
export const numberProviders = ['sip'] as const
export type NumberProvider = (typeof numberProviders)[number]
