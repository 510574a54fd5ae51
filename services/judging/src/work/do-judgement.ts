import { repeatEvery } from '@ratchet/service-kit/repeat-every'
import type { JudgementOutcome, JudgementStore, LeasedJudgement } from '../domain/judgement.ts'
import { mostFailures, retryDelayMs } from '../domain/retry-judgement.ts'

/** Judges one item. @throws JudgementPostponed, or anything else when it may succeed later */
export type Judge = (judgement: LeasedJudgement) => Promise<JudgementOutcome>

/** Not now: there is no money for it in this window, or the judge may not be asked at present. It is no attempt. */
export class JudgementPostponed extends Error {
  override name = 'JudgementPostponed'
  readonly delayMs: number

  constructor(message: string, delayMs: number) {
    super(message)
    this.delayMs = delayMs
  }
}

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

/** How long a judgement waits whose worker is gone, milliseconds; a worker that lives renews its leases. */
const leaseMs = 30_000
const renewEveryMs = 10_000

/**
 * Does one judgement, if it is still to be done: takes it on, asks the judge, keeps the outcome. May be called twice
 * for one, at the same time too: one of the calls does it, and the charge is made once either way.
 */
export async function doJudgement(deps: DoJudgementDeps, judgementId: string): Promise<void> {
  const { judgements, judge, now, onDone, onEvent } = deps
  const leased = await judgements.lease(judgementId, leaseMs)
  if (leased === null) return
  const stopRenewing = repeatEvery({
    everyMs: renewEveryMs,
    work: () => judgements.renew(leased, leaseMs),
    // What is not renewed is done by two, and kept once.
    onError: () => undefined,
  })
  try {
    const outcome = await judge(leased)
    const kept = await judgements.complete(leased, outcome, now())
    onEvent({ kind: kept ? (outcome.verdict === null ? 'no_verdict' : 'verdict') : 'lost', judgementId })
  } catch (cause) {
    await giveBack(deps, leased, cause)
  } finally {
    void stopRenewing()
  }
  if (leased.runId !== null) await onDone(leased.runId)
}

async function giveBack({ judgements, onEvent }: DoJudgementDeps, leased: LeasedJudgement, cause: unknown) {
  const error = cause instanceof Error ? cause.message : String(cause)
  if (cause instanceof JudgementPostponed) {
    await judgements.release(leased, { error, delayMs: cause.delayMs, poisoned: false, countsAsFailure: false })
    return onEvent({ kind: 'postponed', judgementId: leased.id, cause })
  }
  const poisoned = leased.failures + 1 >= mostFailures
  const delayMs = retryDelayMs(leased.failures + 1)
  await judgements.release(leased, { error, delayMs, poisoned, countsAsFailure: true })
  onEvent({ kind: poisoned ? 'poisoned' : 'retried', judgementId: leased.id, cause })
}
