import type { DoneJudgement } from './judgement.ts'

/** A judgement of a scan that passed. */
export function doneJudgement(index: number, more: Partial<DoneJudgement> = {}): DoneJudgement {
  const digits = String(index).padStart(12, '0')
  return {
    id: `00000000-0000-8000-8000-${digits}`,
    workspaceId: '00000000-0000-7000-8000-0000000000aa',
    criterionId: '00000000-0000-7000-8000-0000000000c1',
    runId: '00000000-0000-7000-8000-0000000000d1',
    source: 'scan',
    instrument: 1,
    judgePrompt: null,
    judgedResponse: null,
    item: { kind: 'log', logId: `00000000-0000-7000-9000-${digits}` },
    labelId: null,
    human: null,
    samplingProbability: 1,
    stratum: null,
    segment: 'seg-a',
    tag: null,
    isCanary: false,
    itemAt: new Date(0),
    expiresAt: null,
    createdAt: new Date(0),
    verdict: 'pass',
    failure: null,
    explanation: null,
    judgeModelResolved: 'sim/judge',
    judgeFingerprint: null,
    promptTokens: 100,
    completionTokens: 10,
    costNano: 1_000n,
    judgedAt: new Date(0),
    ...more,
  }
}
