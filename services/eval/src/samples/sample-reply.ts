import type { EvalAnswer, EvalOrder, EvalSample } from '@ratchet/contracts/evals'
import { nanoToUsd } from '@ratchet/contracts/money'
import { publicId } from '@ratchet/contracts/public-id'
import { renderReplyText } from '@ratchet/judge-kit/prompt/render-exchange'
import type { PairVerdict } from '../judging/pair-verdict.ts'
import type { EvalRun } from '../runs/eval-run.ts'
import type { DoneSample, ModelAnswer } from './sample.ts'

export interface SampleView {
  readonly request: Pick<EvalRun['request'], 'baseline_model' | 'candidate_models'>
  /** Models of the judges. */
  readonly judges: readonly string[]
  /** The candidate whose outcome is shown in `outcome`, from 1. Undefined means the only candidate, if there is just one. */
  readonly candidateIndex: number | undefined
}

/** Formats a sample for the API. */
export function sampleReply(sample: DoneSample, { request, judges, candidateIndex }: SampleView): EvalSample {
  const models = [request.baseline_model, ...request.candidate_models]
  const [baseline, ...candidates] = models.map((model, index) => {
    const answer = sample.answers.find(({ modelIndex }) => modelIndex === index)
    return { model, answer: answer === undefined ? null : answerReply(model, answer) }
  })
  const own = candidateIndex ?? (request.candidate_models.length === 1 ? 1 : undefined)
  return {
    object: 'eval.sample',
    id: publicId('sample', sample.id),
    prompt: sample.prompt === null ? null : { messages: [...sample.prompt.messages], tools: toolsOf(sample.prompt) },
    repetition: sample.repetition,
    baseline: baseline?.answer ?? null,
    candidates: Object.fromEntries(
      candidates.flatMap(({ model, answer }) => (answer === null ? [] : [[model, answer]])),
    ),
    orders: sample.verdicts.map((verdict) => ({
      judge: judges[verdict.judgeIndex ?? 0] ?? '',
      ...orderReply(models, verdict),
    })),
    disputed: sample.disputed,
    outcome: own === undefined ? null : (sample.outcomes[own - 1] ?? null),
    outcomes: Object.fromEntries(sample.outcomes.map((outcome, index) => [models[index + 1] ?? '', outcome])),
    assertions: Object.fromEntries(
      sample.answers.map(({ modelIndex, assertions }) => [models[modelIndex] ?? '', { ...assertions }]),
    ),
    reference: sample.reference === null ? null : renderReplyText(sample.reference),
    error: sample.error,
    log_id: sample.logId === null ? null : publicId('log', sample.logId),
    trace_id: sample.traceId,
    step_index: sample.stepIndex,
  }
}

function toolsOf({ tools }: NonNullable<DoneSample['prompt']>): unknown[] | null {
  return tools === null ? null : [...tools]
}

function answerReply(model: string, { message, error, costNano, latencyMs }: ModelAnswer): EvalAnswer {
  const calls = message?.tool_calls
  return {
    model,
    text: message === null ? null : renderReplyText(message),
    tool_calls: Array.isArray(calls) ? calls : null,
    error,
    cost_usd: costNano === null ? null : nanoToUsd(costNano),
    latency_ms: latencyMs,
  }
}

function orderReply(models: readonly string[], verdict: PairVerdict): Omit<EvalOrder, 'judge'> {
  const [baseline = '', candidate = ''] = [models[0], models[verdict.candidateIndex]]
  const [first, second] = verdict.isSwapped ? [candidate, baseline] : [baseline, candidate]
  const winners = { first, second, tie: 'tie' }
  return {
    candidate,
    first,
    second,
    winner: verdict.preference === null ? null : winners[verdict.preference],
    explanation: verdict.explanation,
  }
}
