import { nanoToUsd } from '@ratchet/contracts/money'
import { publicId } from '@ratchet/contracts/public-id'
import type { RaftRound } from '@ratchet/contracts/raft'
import { curationWarnings } from './curate-round.ts'
import type { ShownRound } from './round.ts'

/** A round as the API shows it. */
export function roundReply(round: ShownRound): RaftRound {
  const { settings, curation, holdout, judges } = round
  const [judge, second] = judges
  const idOr = <K extends Parameters<typeof publicId>[0]>(kind: K, uuid: string | null | undefined) =>
    uuid == null ? null : publicId(kind, uuid)
  return {
    id: publicId('raftRound', round.id),
    object: 'raft.round',
    name: round.name,
    status: round.status,
    status_message: round.statusMessage,
    base_model: round.baseModel,
    start_model: round.startModel,
    start_version_id: idOr('modelVersion', round.startVersionId),
    chain_id: publicId('raftRound', round.chainId),
    round_index: round.roundIndex,
    previous_round_id: idOr('raftRound', round.previousRoundId),
    criterion_id: publicId('criterion', judge?.criterionId ?? ''),
    criterion_trust: judge?.trust ?? 'unmeasured',
    second_criterion_id: idOr('criterion', second?.criterionId),
    source_dataset_id: idOr('dataset', round.sourceDatasetId),
    filters: settings.request.filters ?? null,
    prompts: settings.prompts,
    samples_per_prompt: settings.request.samplesPerPrompt,
    generated: round.generated,
    accepted: round.accepted,
    acceptance_rate: round.judged === 0 ? null : round.accepted / round.judged,
    prompts_all_fail: curation?.promptsAllFail ?? 0,
    prompts_all_pass: curation?.promptsAllPass ?? 0,
    precision_estimate: curation?.precision ?? null,
    precision_ci: curation?.precisionCi == null ? null : [...curation.precisionCi],
    min_precision: settings.request.minPrecision,
    distinct_ratio: curation?.distinctRatio ?? null,
    kept_examples: curation?.kept ?? 0,
    real_examples: curation?.real ?? 0,
    dataset_id: idOr('dataset', round.datasetId),
    fine_tuning_job_id: idOr('fineTuningJob', round.jobId),
    model_version_id: idOr('modelVersion', round.modelVersionId),
    eval_id: round.evalId,
    holdout_pass_rate: holdout === null ? null : { before: holdout.before, after: holdout.after, ci: [...holdout.ci] },
    warnings: [
      ...round.warnings,
      ...(curation === null ? [] : curationWarnings(curation, settings.request.realDataPct)),
    ],
    max_cost_usd: nanoToUsd(round.maxCostNano),
    cost_usd: nanoToUsd(round.costNano),
    created_by: round.createdBy,
    created_at: round.createdAt.toISOString(),
    finished_at: round.finishedAt?.toISOString() ?? null,
  }
}
