import type { CallEnder } from '@ratchet/contracts/voice/calls'
import type { EndReason } from '@ratchet/contracts/voice/end-reasons'
import type { CallEnd } from './call.ts'

const enders: { readonly [Reason in EndReason]?: CallEnder } = {
  caller_hangup: 'caller',
  agent_hangup: 'agent',
  transferred: 'agent',
  api_stop: 'api',
  canceled: 'api',
}

/** The end of a call that was answered. */
export function callEndOf(reason: EndReason): { readonly kind: 'ended' } & CallEnd {
  const status = reason === 'voicemail' ? 'voicemail' : 'completed'
  return { kind: 'ended', status, reason, by: enders[reason] ?? 'system' }
}
