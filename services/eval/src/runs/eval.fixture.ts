import { randomUUID } from 'node:crypto'
import { CreateEval } from '@ratchet/contracts/evals'
import type { ExchangeMessage } from '@ratchet/judge-kit/prompt/exchange'
import type { AskableSample } from '../samples/answer-sample.ts'
import type { DrawnPrompt, KeptAnswer, KeptLook, PlannedSample } from '../samples/sample.ts'
import type { NewEval } from './eval-run.ts'

/** An eval as it is asked for: one candidate on five prompts, unless it is said otherwise. */
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

/** A prompt of the log, with nothing special about it. */
export function drawnPrompt(more: Partial<DrawnPrompt> = {}): DrawnPrompt {
  const logId = randomUUID()
  return {
    cluster: logId,
    logId,
    traceId: null,
    stepIndex: null,
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

/** A sample that was just taken on, and never before. */
export function leasedSample(more: Partial<AskableSample> = {}): AskableSample {
  return { ...plannedSample(), run: newEval(), generation: 1, failures: 0, answers: [], looks: [], ...more }
}

export function keptAnswer(more: Partial<KeptAnswer> = {}): KeptAnswer {
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

export function keptLook(more: Partial<KeptLook> = {}): KeptLook {
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
