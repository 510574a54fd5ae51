import { randomUUID } from 'node:crypto'
import type { StoredCriterion } from '../criteria/criterion.ts'
import type { JudgementOutcome, JudgementStore, PlannedJudgement } from '../judgements/judgement.ts'
import type { Judge, JudgementEvent, ProcessJudgementDeps } from '../judgements/process-judgement.ts'

export const passed: JudgementOutcome = {
  verdict: 'pass',
  failure: null,
  explanation: 'Fine.',
  judgeModelResolved: 'sim/judge',
  judgeFingerprint: null,
  promptTokens: 10,
  completionTokens: 2,
  costNano: 7n,
}

export function plannedFor(
  criterion: Pick<StoredCriterion, 'id' | 'workspaceId'>,
  more: Partial<PlannedJudgement> = {},
): PlannedJudgement {
  return {
    id: randomUUID(),
    workspaceId: criterion.workspaceId,
    criterionId: criterion.id,
    runId: null,
    source: 'scan',
    instrument: 1,
    judgePrompt: null,
    judgedResponse: null,
    item: { kind: 'log', logId: randomUUID() },
    labelId: null,
    human: null,
    samplingProbability: 1,
    stratum: null,
    segment: 'none',
    tag: null,
    isCanary: false,
    itemAt: null,
    expiresAt: null,
    createdAt: new Date(),
    ...more,
  }
}

/** The dependencies of a worker, and the events that it reports. */
export function judgingWith(judgements: JudgementStore, judge: Judge) {
  const events: JudgementEvent['kind'][] = []
  const onEvent = ({ kind }: JudgementEvent) => events.push(kind)
  const deps: ProcessJudgementDeps = {
    judgements,
    judge,
    now: () => new Date(),
    onDone: async () => undefined,
    onEvent,
  }
  return { deps, events }
}
