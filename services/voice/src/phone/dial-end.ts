import type { EndReason } from '@ratchet/contracts/voice/end-reasons'
import type { CallEnd } from '../calls/call.ts'
import type { StoppedBy } from './phone-context.ts'

const invalid: ReadonlySet<number> = new Set([404, 410, 416, 484, 485, 604])
const rejected: ReadonlySet<number> = new Set([401, 403, 407, 603, 606, 607, 608])
const busy: ReadonlySet<number> = new Set([486, 600])
const unanswered: ReadonlySet<number> = new Set([408, 480, 487])

export interface RefusedDial {
  /** Of SIP. 408 is also no answer at all, and 487 the end of our patience. */
  readonly status: number
  /** Whether the other side had said that it rings. */
  readonly hasRung: boolean
  /** Null: nobody did. */
  readonly stoppedBy: StoppedBy | null
}

/** How a call ends that the other side did not answer. */
export function dialEndOf({ status, hasRung, stoppedBy }: RefusedDial): CallEnd {
  if (stoppedBy === 'api') return { status: 'canceled', reason: 'canceled', by: 'api' }
  if (stoppedBy === 'worker') return failed('worker_lost')
  if (busy.has(status)) return { status: 'busy', reason: 'busy', by: 'caller' }
  if (status === 408 && !hasRung) return failed('carrier_unavailable')
  if (unanswered.has(status)) return { status: 'no_answer', reason: 'no_answer', by: 'caller' }
  if (invalid.has(status)) return failed('invalid_number')
  if (rejected.has(status)) return { status: 'failed', reason: 'rejected', by: 'caller' }
  return failed(status === 503 ? 'carrier_unavailable' : 'carrier_error')
}

const failed = (reason: EndReason): CallEnd => ({ status: 'failed', reason, by: 'system' })
