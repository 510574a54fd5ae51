import type { GrpoPause, GrpoStatus, GuardVerdict } from '@ratchet/contracts/grpo'
import type { Row } from '@ratchet/db/row'
import type { FinishReason, GrpoRun } from './run.ts'
import type { FrozenJudge, RunSettings } from './run-settings.ts'

type JobColumns =
  | 'phase'
  | 'waiting_for'
  | 'asked'
  | 'base_model'
  | 'warm_start_id'
  | 'after_eval_id'
  | 'trainer'
  | 'seed'
  | 'request'
  | 'dataset_id'
  | 'eval_dataset_id'
  | 'step'
  | 'lost_attempts'
  | 'estimated_cost_nano'
  | 'held_nano'
  | 'cost_nano'
  | 'hold_number'
  | 'created_by'
  | 'started_at'
  | 'finished_at'

export type RunRow = Row<'grpoRun'> &
  Pick<Row<'trainingJob'>, JobColumns> & {
    readonly status: GrpoStatus
    readonly job_status: GrpoRun['jobStatus']
    readonly training_cap_nano: string
    readonly job_error_code: string | null
    readonly job_error_message: string | null
    readonly model: string | null
    readonly looks: number
    readonly last_look: number | null
  }

export function runOf(row: RunRow): GrpoRun {
  const request = JSON.parse(row.request) as { readonly metadata?: Record<string, string> | null }
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    name: row.name,
    status: row.status,
    phase: row.phase as GrpoRun['phase'],
    waitingFor: row.waiting_for as GrpoRun['waitingFor'],
    jobStatus: row.job_status,
    asked: row.asked as GrpoRun['asked'],
    pausedReason: row.status === 'paused' || row.asked === 'pause' ? (row.paused_reason as GrpoPause | null) : null,
    statusMessage: row.status_message,
    baseModel: row.base_model,
    warmStartId: row.warm_start_id,
    trainer: row.trainer,
    seed: row.seed,
    request,
    metadata: request.metadata ?? null,
    datasetId: row.dataset_id,
    evalDatasetId: row.eval_dataset_id,
    settings: JSON.parse(row.settings) as RunSettings,
    judges: JSON.parse(row.judges) as FrozenJudge[],
    warnings: JSON.parse(row.warnings) as string[],
    step: row.step,
    ...resultOf(row),
    ...moneyOf(row),
    createdBy: row.created_by,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
  }
}

function resultOf(row: RunRow) {
  const code = row.error_code ?? row.job_error_code
  return {
    rewardBaseline: row.reward_baseline,
    rewardCurrent: row.reward_current,
    guardVerdict: row.guard_verdict as GuardVerdict,
    looks: row.looks,
    lastLook: row.last_look,
    bestStep: row.best_step,
    modelVersionId: row.model_version_id,
    model: row.model,
    evalId: row.after_eval_id || null,
    finishReason: row.finish_reason as FinishReason | null,
    lostAttempts: row.lost_attempts,
    error: code === null ? null : { code, message: row.status_message ?? row.job_error_message ?? '' },
  }
}

function moneyOf(row: RunRow) {
  return {
    estimatedCostNano: BigInt(row.estimated_cost_nano),
    maxCostNano: BigInt(row.max_cost_nano),
    trainingCapNano: BigInt(row.training_cap_nano),
    heldNano: BigInt(row.held_nano),
    costNano: BigInt(row.cost_nano),
    judgeCostNano: BigInt(row.judge_cost_nano),
    holdNumber: row.hold_number,
  }
}
