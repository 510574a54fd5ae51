import { type AttemptEnd, type ItemWork, processItem } from '@ratchet/work-kit/leases/process-item'
import type { JudgementOutcome, JudgementStore, LeasedJudgement } from './judgement.ts'

/** @throws WorkPostponed when it must wait; any other error when a retry may succeed */
export type Judge = (judgement: LeasedJudgement) => Promise<JudgementOutcome>

export interface ProcessJudgementDeps {
  readonly judgements: JudgementStore
  readonly judge: Judge
  readonly now: () => Date
  /** Called when a judgement of a run is over, or its attempt has failed. */
  readonly onDone: (runId: string, judgement: LeasedJudgement) => Promise<void>
  readonly onEvent: (event: JudgementEvent) => void
}

export interface JudgementEvent {
  readonly kind: 'verdict' | 'no_verdict' | 'lost' | 'postponed' | 'retried' | 'dead_lettered'
  readonly judgementId: string
  readonly cause?: unknown
}

/**
 * Judges one item, if it is due. Concurrent calls for one judgement are safe, and its model call is charged once.
 *
 * @param due the id of a judgement, or one that this process has just leased
 */
export async function processJudgement(deps: ProcessJudgementDeps, due: string | LeasedJudgement): Promise<void> {
  const { judgements, judge, now, onDone, onEvent } = deps
  const judgementId = typeof due === 'string' ? due : due.id
  const work: ItemWork<LeasedJudgement, JudgementOutcome> = {
    items: judgements,
    process: judge,
    complete: (judgement, outcome) => judgements.complete(judgement, outcome, now()),
    onEnd: (end) => onEvent(eventOf(judgementId, end)),
  }
  const judged = await processItem(work, due)
  if (judged !== null && judged.runId !== null) await onDone(judged.runId, judged)
}

function eventOf(judgementId: string, end: AttemptEnd<JudgementOutcome>): JudgementEvent {
  if (end.kind !== 'completed') return { ...end, judgementId }
  return { kind: end.outcome.verdict === null ? 'no_verdict' : 'verdict', judgementId }
}
