import type { EvalReport } from '@ratchet/contracts/eval-report'
import type { CreateEval, EvalStatus } from '@ratchet/contracts/evals'
import type { EvalJudge, EvalRun, LeasedEval } from './eval-run.ts'

export interface EvalRow {
  readonly id: string
  readonly workspace_id: string
  readonly status: EvalStatus
  readonly request: string
  readonly judge: string
  readonly max_cost_nano: string | null
  readonly samples_total: number | null
  readonly report: string | null
  readonly error: string | null
  readonly webhook_url: string | null
  readonly webhook_attempts: number
  readonly webhook_delivered_at: Date | null
  readonly webhook_error: string | null
  readonly created_by: string
  readonly created_at: Date
  readonly finished_at: Date | null
}

export interface LeasedEvalRow extends EvalRow {
  readonly generation: number
  readonly attempts: number
}

export function evalOf(row: EvalRow): EvalRun {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    status: row.status,
    request: JSON.parse(row.request) as CreateEval,
    judge: JSON.parse(row.judge) as EvalJudge,
    maxCostNano: row.max_cost_nano === null ? null : BigInt(row.max_cost_nano),
    samplesTotal: row.samples_total,
    report: row.report === null ? null : (JSON.parse(row.report) as EvalReport),
    error: row.error,
    webhook: webhookOf(row),
    createdBy: row.created_by,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
  }
}

function webhookOf(row: EvalRow): EvalRun['webhook'] {
  if (row.webhook_url === null) return null
  return {
    url: row.webhook_url,
    attempts: row.webhook_attempts,
    deliveredAt: row.webhook_delivered_at,
    error: row.webhook_error,
  }
}

export function leasedEvalOf(row: LeasedEvalRow): LeasedEval {
  return { ...evalOf(row), generation: row.generation, attempts: row.attempts }
}
