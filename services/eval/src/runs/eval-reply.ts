import type { Eval } from '@ratchet/contracts/evals'
import { nanoToUsd } from '@ratchet/contracts/money'
import { publicId } from '@ratchet/contracts/public-id'
import { cannotActReasonOf, type EvalProgress, type EvalRun, judgeModelsOf } from './eval-run.ts'

const noProgress: EvalProgress = { total: 0, done: 0, costNano: 0n, judgeCostNano: 0n, waitingFor: null }

/** Formats an eval for the API. */
export function evalReply(run: EvalRun, progress: EvalProgress = noProgress): Eval {
  const { request, judge } = run
  const { rubric_type, baseline_model, candidate_models, sample_count, sample_filters, seed } = request
  const cannotActReason = judge.criterionId === null ? null : cannotActReasonOf(judge)
  const { judging_mode, assertions, params, repetitions, max_cost_usd: maxCostUsd } = request
  return {
    object: 'eval',
    id: publicId('eval', run.id),
    name: request.name,
    status: run.status,
    progress: { done: progress.done, total: run.samplesTotal ?? request.sample_count * request.repetitions },
    error: run.error,
    waiting_for: run.finishedAt === null ? progress.waitingFor : null,
    rubric: judge.rubric,
    rubric_type,
    baseline_model,
    candidate_models,
    sample_count,
    sample_filters,
    judging_mode,
    reference: judging_mode === 'match_reference' ? referenceOf(request) : null,
    judge_model: judge.model,
    judge_models: [...judgeModelsOf(judge)],
    criterion_id: judge.criterionId === null ? null : publicId('criterion', judge.criterionId),
    judge_trust: judge.trust,
    judge_can_act: judge.criterionId === null ? null : cannotActReason === null,
    judge_cannot_act_reason: cannotActReason,
    judge_unit: judge.unit ?? 'request',
    assertions,
    params,
    seed,
    max_cost_usd: maxCostUsd ?? null,
    repetitions,
    question: request.question ?? 'better',
    margin: request.margin ?? null,
    stop_when: request.stop_when ?? null,
    webhook_url: request.webhook_url ?? null,
    webhook: webhookReply(run.webhook),
    report: run.report,
    interim: null,
    evidence: null,
    cost_usd: nanoToUsd(progress.costNano),
    judge_cost_usd: nanoToUsd(progress.judgeCostNano),
    created_at: run.createdAt.toISOString(),
    finished_at: run.finishedAt?.toISOString() ?? null,
  }
}

function webhookReply(webhook: EvalRun['webhook']): Eval['webhook'] {
  if (webhook === null) return null
  const { url, attempts, deliveredAt, error } = webhook
  return { url, attempts, delivered_at: deliveredAt?.toISOString() ?? null, error }
}

/** Names the origin of the reference answers. */
function referenceOf({ sample_filters: { dataset_id: datasetId } }: EvalRun['request']): Eval['reference'] {
  return datasetId === undefined ? 'logged_reply' : 'dataset'
}
