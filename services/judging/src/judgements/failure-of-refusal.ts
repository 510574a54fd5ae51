import { keepableText } from '@ratchet/judge-kit/prompt/keepable-text'
import type { FleetCallError } from '@ratchet/service-kit/fleet-client'
import { WorkPostponed } from '@ratchet/service-kit/with-lease'
import type { JudgementFailure, JudgingCap } from './judgement.ts'

export interface RefusedJudgement {
  readonly failure: JudgementFailure
  readonly explanation: string
}

/** How long work waits for a wallet that is empty, milliseconds. */
const walletDelayMs = 60_000
/** How long it waits for the same question that is being answered, milliseconds. */
const runningDelayMs = 1_000
/** A cap may be raised before its window ends, so that is looked at this often, milliseconds. */
const capDelayMs = 3_600_000
/** Of a caller that the fleet does not know: a matter of keys and clocks, not of the question. */
const notOfTheQuestion: ReadonlySet<number> = new Set([401, 403])

/**
 * Why there will be no verdict, for a refusal that is final.
 *
 * @param cap that the refused call counted against
 * @throws WorkPostponed where there is no money now, or the question is being answered; the refusal itself where
 *   trying again may help
 */
export function failureOfRefusal(refusal: FleetCallError, cap: JudgingCap | null, at: Date): RefusedJudgement {
  const { code, message, status } = refusal
  if (code === 'spend_cap_reached') return capReached(cap, at)
  if (code === 'insufficient_balance') throw new WorkPostponed(message, walletDelayMs)
  if (code === 'conflict') throw new WorkPostponed(message, runningDelayMs)
  if (refusal.mayPass || notOfTheQuestion.has(status)) throw refusal
  const isTooLarge = code === 'context_length_exceeded' || code === 'request_too_large'
  return { failure: isTooLarge ? 'too_large' : 'refused', explanation: keepableText(message, 1_000) }
}

function capReached(cap: JudgingCap | null, at: Date): RefusedJudgement {
  const windowEnd = cap?.windowEnd ?? null
  if (windowEnd === null) return { failure: 'over_cap', explanation: 'The most that this may cost is spent.' }
  const untilEndMs = Math.max(windowEnd.getTime() - at.getTime(), runningDelayMs)
  throw new WorkPostponed(
    `The cap on what monitoring may cost is reached until ${windowEnd.toISOString()}.`,
    Math.min(untilEndMs, capDelayMs),
  )
}
