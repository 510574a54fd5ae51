import type { Row } from '@ratchet/db/row'
import type { DoneJudgement, JudgementFailure, PlannedJudgement } from './judgement.ts'

export type JudgementRow = Omit<
  Row<'judgement', { failure: JudgementFailure | null }>,
  'state' | 'due_at' | 'generation' | 'attempts' | 'failures' | 'last_error'
>

/** The columns of {@link JudgementRow}. */
export const judgementColumns = `id, workspace_id, criterion_id, run_id, source, instrument, judge_prompt,
  judged_response, log_id, trace_id, step_ids, snapshot_id, label_id, human, weight, stratum, segment, tag, canary, item_at, expires_at,
  created_at, verdict, failure, explanation, judge_model_resolved, judge_fingerprint, prompt_tokens, completion_tokens,
  cost_nano, judged_at`

export function plannedOf(row: JudgementRow): PlannedJudgement {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    criterionId: row.criterion_id,
    runId: row.run_id,
    source: row.source,
    instrument: row.instrument,
    judgePrompt: row.judge_prompt,
    judgedResponse: row.judged_response === null ? null : JSON.parse(row.judged_response),
    item: itemOf(row),
    labelId: row.label_id,
    human: row.human,
    samplingProbability: 1 / row.weight,
    stratum: row.stratum,
    segment: row.segment,
    tag: row.tag,
    isCanary: row.canary,
    itemAt: row.item_at,
    expiresAt: row.expires_at,
    createdAt: row.created_at,
  }
}

function itemOf(row: JudgementRow): PlannedJudgement['item'] {
  const { id, log_id: logId, trace_id: traceId, step_ids: stepIds, snapshot_id: snapshotId } = row
  if (logId !== null) return { kind: 'log', logId }
  if (traceId !== null) return { kind: 'run', traceId, stepIds }
  if (snapshotId !== null) return { kind: 'snapshot', snapshotId }
  throw new Error(`judgement ${id} has no item`)
}

export function doneOf(row: JudgementRow): DoneJudgement {
  if (row.judged_at === null) throw new Error(`judgement ${row.id} is not done`)
  return {
    ...plannedOf(row),
    verdict: row.verdict,
    failure: row.failure,
    explanation: row.explanation,
    judgeModelResolved: row.judge_model_resolved,
    judgeFingerprint: row.judge_fingerprint,
    promptTokens: row.prompt_tokens,
    completionTokens: row.completion_tokens,
    costNano: BigInt(row.cost_nano),
    judgedAt: row.judged_at,
  }
}
