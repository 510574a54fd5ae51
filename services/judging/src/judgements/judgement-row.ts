import type { Verdict } from '@ratchet/contracts/criteria'
import type { DoneJudgement, JudgementFailure, JudgementSource, PlannedJudgement } from './judgement.ts'

export interface JudgementRow {
  readonly id: string
  readonly workspace_id: string
  readonly criterion_id: string
  readonly run_id: string | null
  readonly source: JudgementSource
  readonly instrument: number
  readonly judge_prompt: string | null
  readonly judged_response: string | null
  readonly log_id: string | null
  readonly snapshot_id: string | null
  readonly label_id: string | null
  readonly human: Verdict | null
  readonly weight: number
  readonly stratum: string | null
  readonly segment: string
  readonly tag: string | null
  readonly canary: boolean
  readonly item_at: Date | null
  readonly expires_at: Date | null
  readonly created_at: Date
  readonly verdict: Verdict | null
  readonly failure: JudgementFailure | null
  readonly explanation: string | null
  readonly judge_model_resolved: string | null
  readonly judge_fingerprint: string | null
  readonly prompt_tokens: number | null
  readonly completion_tokens: number | null
  readonly cost_nano: string
  readonly judged_at: Date | null
}

/** The columns of {@link JudgementRow}. */
export const judgementColumns = `id, workspace_id, criterion_id, run_id, source, instrument, judge_prompt,
  judged_response, log_id, snapshot_id, label_id, human, weight, stratum, segment, tag, canary, item_at, expires_at,
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
    weight: row.weight,
    stratum: row.stratum,
    segment: row.segment,
    tag: row.tag,
    isCanary: row.canary,
    itemAt: row.item_at,
    expiresAt: row.expires_at,
    createdAt: row.created_at,
  }
}

function itemOf({ id, log_id: logId, snapshot_id: snapshotId }: JudgementRow): PlannedJudgement['item'] {
  if (logId !== null) return { kind: 'log', logId }
  if (snapshotId !== null) return { kind: 'snapshot', snapshotId }
  throw new Error(`judgement ${id} is about nothing`)
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
