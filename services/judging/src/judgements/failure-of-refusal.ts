import { outcomeOfRefusal, storableMessage } from '@ratchet/judge-kit/fleet/outcome-of-refusal'
import type { FleetCallError } from '@ratchet/service-kit/fleet/fleet-client'
import { hourMs } from '@ratchet/service-kit/timing/durations'
import { WorkPostponed } from '@ratchet/work-kit/leases/decide-retry'
import type { JudgementFailure, JudgingCap } from './judgement.ts'

export interface RefusedJudgement {
  readonly failure: JudgementFailure
  readonly explanation: string
}

/** Minimum delay until the end of a cap's window, milliseconds. */
const minCapDelayMs = 1_000
/** Maximum delay: the cap may be raised before its window ends, milliseconds. */
const maxCapDelayMs = hourMs

/**
 * Explains a final refusal.
 *
 * @param cap the cap that limited the refused call
 * @throws WorkPostponed when there is no money now, or another process is making the same call; the refusal itself when a
 *   retry may succeed
 */
export function failureOfRefusal(refusal: FleetCallError, cap: JudgingCap | null, at: Date): RefusedJudgement {
  const outcome = outcomeOfRefusal(refusal)
  switch (outcome.kind) {
    case 'over_cap':
      return capReached(cap, at)
    case 'wait':
      throw new WorkPostponed(refusal.message, outcome.delayMs)
    case 'unavailable':
    case 'retry':
      throw refusal
    case 'too_large':
    case 'refused':
      return { failure: outcome.kind, explanation: storableMessage(refusal) }
  }
}

/** Whether a call was refused because the cap of its judge for the week of `at` does not cover it. */
export function isOverWeeklyCap(refusal: FleetCallError, cap: JudgingCap | null, at: Date): boolean {
  const windowEnd = cap?.windowEnd ?? null
  return windowEnd !== null && at < windowEnd && outcomeOfRefusal(refusal).kind === 'over_cap'
}

function capReached(cap: JudgingCap | null, at: Date): RefusedJudgement {
  const windowEnd = cap?.windowEnd ?? null
  if (windowEnd === null) return { failure: 'over_cap', explanation: 'The spend cap is used up.' }
  const untilEndMs = Math.max(windowEnd.getTime() - at.getTime(), minCapDelayMs)
  throw new WorkPostponed(
    `The weekly cap of the judge is used up until ${windowEnd.toISOString()}.`,
    Math.min(untilEndMs, maxCapDelayMs),
  )
}
