import type { Trust, Verdict } from '@ratchet/contracts/criteria'
import type { CallStatus } from '@ratchet/contracts/voice/calls'
import type { CallKey } from '../calls/call.ts'

/** What a judge says of a call; `waiting` for its end, and `planned` at the judge. */
export interface StoredVerdict {
  /** UUID. */
  readonly criterionId: string
  readonly state: 'waiting' | 'planned' | 'done' | 'failed'
  readonly verdict: Verdict | null
  readonly failure: string | null
  /** Of the judge, when it gave the verdict. */
  readonly trust: Trust | null
}

/** A call that has ended, and that a judge is to judge. */
export interface DueVerdict extends CallKey {
  readonly userId: string
  readonly criterionId: string
  readonly state: 'waiting' | 'planned'
  /** Of the judge that was asked. */
  readonly instrument: number | null
  readonly attempts: number
  readonly status: CallStatus
  readonly talkedMs: number
  readonly isCanary: boolean
  readonly isErased: boolean
  /** Requests of the call to models. */
  readonly requests: number
  /** Milliseconds since its end. */
  readonly endedMs: number
}

/** What happens next with it. */
export type VerdictStep =
  | { readonly state: 'waiting' | 'planned'; readonly instrument: number | null; readonly afterMs: number }
  | { readonly state: 'done'; readonly verdict: Verdict; readonly trust: Trust }
  | { readonly state: 'failed'; readonly failure: VerdictFailure }

/**
 * Why a call has no verdict: it was never answered; it ended before ten seconds of talk; it was erased; the log has nothing of
 * it; the judge does not exist, gave none, or none in time.
 */
export type VerdictFailure = 'not_held' | 'short' | 'gone' | 'not_logged' | 'no_judge' | 'unjudged' | 'too_late'

/** A call with less talk was no conversation that could be judged. */
export const minTalkedMs = 10_000

/** @returns null while it may be judged */
export function failureBefore({
  status,
  talkedMs,
  isErased,
  endedMs,
}: Pick<DueVerdict, 'status' | 'talkedMs' | 'isErased' | 'endedMs'>): VerdictFailure | null {
  if (status !== 'completed') return 'not_held'
  if (talkedMs < minTalkedMs) return 'short'
  if (isErased) return 'gone'
  return endedMs > maxWaitMs ? 'too_late' : null
}

/** Until a call is looked at again: soon after its end, rarely when its judge takes long. */
export function pauseMs(endedMs: number): number {
  return Math.min(60_000, Math.max(1_000, endedMs / 20))
}

/** Judges of a workspace may be far behind. */
const maxWaitMs = 6 * 3_600_000

export interface VerdictStore {
  of(call: CallKey): Promise<readonly StoredVerdict[]>
  /** Takes calls that have ended; each comes again after a while, unless it is saved before. */
  take(limit: number): Promise<readonly DueVerdict[]>
  save(due: DueVerdict, step: VerdictStep): Promise<void>
}
