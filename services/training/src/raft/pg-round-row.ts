import type { RaftStatus } from '@ratchet/contracts/raft'
import type { Row } from '@ratchet/db/row'
import type { Curation, HoldoutRates, Round, RoundStage, ShownRound } from './round.ts'

export type RoundRow = Row<'raftRound', { status: RaftStatus; stage: RoundStage }>

export function roundOf(row: RoundRow): Round {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    status: row.status,
    stage: row.stage,
    statusMessage: row.status_message,
    errorCode: row.error_code,
    name: row.name,
    baseModel: row.base_model,
    startModel: row.start_model,
    startVersionId: row.start_version_id,
    chainId: row.chain_id,
    roundIndex: row.round_index,
    previousRoundId: row.previous_round_id,
    sourceDatasetId: row.source_dataset_id,
    datasetId: row.dataset_id,
    settings: JSON.parse(row.settings) as Round['settings'],
    judges: JSON.parse(row.judges) as Round['judges'],
    warnings: JSON.parse(row.warnings) as string[],
    curation: row.curation === null ? null : (JSON.parse(row.curation) as Curation),
    holdout: row.holdout === null ? null : (JSON.parse(row.holdout) as HoldoutRates),
    jobId: row.job_id,
    jobNumber: row.job_number,
    modelVersionId: row.model_version_id,
    maxCostNano: BigInt(row.max_cost_nano),
    createdBy: row.created_by,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
  }
}

export type ShownRow = RoundRow & {
  readonly generated: number
  readonly judged: number
  readonly accepted: number
  readonly samples_nano: string
  readonly job_nano: string
  readonly eval_id: string | null
}

export function shownOf(row: ShownRow): ShownRound {
  const { generated, judged, accepted, eval_id: evalId } = row
  return {
    ...roundOf(row),
    generated,
    judged,
    accepted,
    evalId,
    costNano: BigInt(row.samples_nano) + BigInt(row.job_nano),
  }
}
