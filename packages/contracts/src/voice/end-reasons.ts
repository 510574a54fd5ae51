/** Why calls end, and on whose side the reason lies. */
export const faultOf = {
  caller_hangup: 'caller',
  agent_hangup: 'agent',
  api_stop: 'workspace',
  max_duration: 'workspace',
  silence: 'caller',
  insufficient_credits: 'workspace',
  billing_unavailable: 'us',
  no_answer: 'caller',
  busy: 'caller',
  rejected: 'caller',
  invalid_number: 'workspace',
  carrier_error: 'provider',
  carrier_unavailable: 'provider',
  no_media: 'provider',
  transferred: 'agent',
  voicemail: 'caller',
  stt_failed: 'provider',
  llm_failed: 'provider',
  tts_failed: 'provider',
  worker_lost: 'us',
  canceled: 'workspace',
} as const

export type EndReason = keyof typeof faultOf
export const endReasons = Object.keys(faultOf) as [EndReason, ...EndReason[]]
