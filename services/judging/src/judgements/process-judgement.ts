import { decideRetry, withLease } from '@ratchet/service-kit/with-lease'
import type { JudgementOutcome, JudgementStore, LeasedJudgement } from './judgement.ts'

/** Judges one item. @throws WorkPostponed, or anything else when it may succeed later */
export type Judge = (judgement: LeasedJudgement) => Promise<JudgementOutcome>

export interface DoJudgementDeps {
  readonly judgements: JudgementStore
  readonly judge: Judge
  readonly now: () => Date
  /** Hears when a run may go on. */
  readonly onDone: (runId: string) => Promise<void>
  readonly onEvent: (event: JudgementEvent) => void
}

export interface JudgementEvent {
  readonly kind: 'verdict' | 'no_verdict' | 'lost' | 'postponed' | 'retried' | 'poisoned'
  readonly judgementId: string
  readonly cause?: unknown
}

/**
 * Does one judgement, if it is still to be done: takes it on, asks the judge, keeps the outcome. May be called twice
 * for one, at the same time too: one of the calls does it, and the charge is made once either way.
 */
export async function processJudgement(deps: DoJudgementDeps, judgementId: string): Promise<void> {
  const { judgements, judge, now, onDone, onEvent } = deps
  const leased = await withLease(judgements, judgementId, async (judgement) => {
    try {
      const outcome = await judge(judgement)
      const kept = await judgements.complete(judgement, outcome, now())
      onEvent({ kind: kept ? (outcome.verdict === null ? 'no_verdict' : 'verdict') : 'lost', judgementId })
    } catch (cause) {
      await giveBack(deps, judgement, cause)
    }
  })
  if (leased !== null && leased.runId !== null) await onDone(leased.runId)
}

async function giveBack({ judgements, onEvent }: DoJudgementDeps, leased: LeasedJudgement, cause: unknown) {
  const { kind, error, delayMs } = decideRetry(cause, leased.failures)
  const poisoned = kind === 'poisoned'
  await judgements.release(leased, { error, delayMs, poisoned, countsAsFailure: kind !== 'postponed' })
  onEvent({ kind, judgementId: leased.id, cause })
}
