import type { EvalReport } from '@ratchet/contracts/eval-report'
import type { CreateEval, EvalStatus } from '@ratchet/contracts/evals'
import type { EvalJudge, EvalRun, LeasedEval } from '../domain/eval-run.ts'

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
    createdBy: row.created_by,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
  }
}

export function leasedEvalOf(row: LeasedEvalRow): LeasedEval {
  return { ...evalOf(row), generation: row.generation, attempts: row.attempts }
}
