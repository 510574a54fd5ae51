import { randomUUID } from 'node:crypto'
import { CreateEval } from '@ratchet/contracts/evals'
import type { ExchangeMessage } from '@ratchet/judge-kit/prompt/exchange'
import type { PairVerdict } from '../judging/pair-verdict.ts'
import type { DrawnPrompt, ModelAnswer, PlannedSample, SampleWithPrompt } from '../samples/sample.ts'
import type { NewEval } from './eval-run.ts'

/** The request of an eval with one candidate and five prompts. */
export function evalRequest(more: Partial<CreateEval> = {}): CreateEval {
  return CreateEval.parse({
    name: 'Support',
    rubric: 'It is kind.',
    baseline_model: 'sim/medium',
    candidate_models: ['sim/large'],
    sample_count: 5,
    judge_model: 'sim/judge',
    ...more,
  })
}

export function newEval({ request, ...more }: Partial<NewEval> = {}): NewEval {
  return {
    id: randomUUID(),
    workspaceId: randomUUID(),
    request: request ?? evalRequest(),
    judge: { model: 'sim/judge', rubric: 'It is kind.', criterionId: null, trust: null },
    maxCostNano: null,
    createdBy: randomUUID(),
    createdAt: new Date('2026-11-21T12:00:00Z'),
    ...more,
  }
}

export function question(content: string): ExchangeMessage {
  return { role: 'user', content }
}

export function reply(content: string): ExchangeMessage {
  return { role: 'assistant', content }
}

/** A typical prompt from the log. */
export function drawnPrompt(more: Partial<DrawnPrompt> = {}): DrawnPrompt {
  const logId = randomUUID()
  return {
    cluster: logId,
    logId,
    traceId: null,
    stepIndex: null,
    segment: null,
    expiresAt: null,
    prompt: { messages: [question('2 + 2?')], tools: null, responseFormat: null },
    reference: reply('Four.'),
    recorded: { costNano: '3000', latencyMs: 120 },
    ...more,
  }
}

export function plannedSample(more: Partial<PlannedSample> = {}): PlannedSample {
  return { id: randomUUID(), position: 0, repetition: 0, ...drawnPrompt(), ...more }
}

/** A sample with its first lease. */
export function leasedSample(more: Partial<SampleWithPrompt> = {}): SampleWithPrompt {
  return {
    ...plannedSample(),
    run: newEval(),
    waitsForCap: false,
    generation: 1,
    failures: 0,
    answers: [],
    verdicts: [],
    ...more,
  }
}

export function modelAnswer(more: Partial<ModelAnswer> = {}): ModelAnswer {
  return {
    modelIndex: 0,
    message: reply('Four.'),
    error: null,
    isRecorded: false,
    costNano: 7_000n,
    latencyMs: 100,
    assertions: {},
    ...more,
  }
}

export function pairVerdict(more: Partial<PairVerdict> = {}): PairVerdict {
  return {
    candidateIndex: 1,
    isSwapped: false,
    preference: 'tie',
    failure: null,
    explanation: 'Alike.',
    costNano: 5_000n,
    ...more,
  }
}
