import type { GrpoEstimate, GrpoJudge, GrpoRun as GrpoRunReply } from '@ratchet/contracts/grpo'
import { nanoToUsd } from '@ratchet/contracts/money'
import { publicId } from '@ratchet/contracts/public-id'
import type { PreparedRun } from './prepare-run.ts'
import type { GrpoRun } from './run.ts'
import { type FrozenJudge, plannedLooks, type RunEnvironment, type RunSettings } from './run-settings.ts'

/** A run as the API shows it. */
export function runReply(run: GrpoRun): GrpoRunReply {
  const { settings } = run
  const trains = run.jobStatus === 'running'
  return {
    id: publicId('grpoRun', run.id),
    object: 'grpo.run',
    name: run.name,
    status: run.status,
    phase: trains ? run.phase : null,
    waiting_for: waitingFor(run),
    paused_reason: run.pausedReason,
    status_message: run.statusMessage,
    base_model: run.baseModel,
    warm_start_from: run.warmStartId === null ? null : publicId('modelVersion', run.warmStartId),
    dataset_id: run.datasetId === null ? '' : publicId('dataset', run.datasetId),
    eval_dataset_id: run.evalDatasetId === null ? null : publicId('dataset', run.evalDatasetId),
    ...settingsReply(settings),
    trainer: run.trainer,
    seed: run.seed,
    progress: { step: run.step, total_steps: settings.hyperparameters.max_steps },
    reward_baseline: run.rewardBaseline,
    reward_current: run.rewardCurrent,
    guard: { verdict: run.guardVerdict, looks: run.looks, last_step: run.lastLook },
    judges_at_start: run.judges.map(judgeReply),
    best_step: run.bestStep,
    model_version_id: run.modelVersionId === null ? null : publicId('modelVersion', run.modelVersionId),
    model: run.model,
    eval_id: run.evalId,
    stopped_early: run.finishReason,
    attempts: run.lostAttempts,
    estimated_cost_usd: nanoToUsd(run.estimatedCostNano),
    held_usd: nanoToUsd(run.heldNano),
    cost_usd: nanoToUsd(run.costNano),
    judge_cost_usd: nanoToUsd(run.judgeCostNano),
    max_cost_usd: nanoToUsd(run.maxCostNano),
    warnings: [...run.warnings],
    error: run.error,
    metadata: run.metadata === null ? null : { ...run.metadata },
    created_by: run.createdBy,
    created_at: run.createdAt.toISOString(),
    started_at: run.startedAt?.toISOString() ?? null,
    finished_at: run.finishedAt?.toISOString() ?? null,
  }
}

function waitingFor({ status, pausedReason, waitingFor: place }: GrpoRun): GrpoRunReply['waiting_for'] {
  if (status === 'awaiting_adoption') return 'people'
  return status === 'paused' && pausedReason === 'credit' ? 'credit' : place
}

function settingsReply(settings: RunSettings) {
  const { environment, holdout, plateau, reward } = settings
  return {
    prompts: { ...settings.prompts },
    reward: {
      criteria: reward.criteria.map(({ name, weight, required }) => ({ criterion_id: name, weight, required })),
      functions: reward.functions.map(({ name, weight, required, check }) => ({ ...check, name, weight, required })),
      tools: (reward.tools ?? []).map(({ toolId, ...term }) => ({ environment_tool_id: toolId, ...term })),
    },
    environment: environment === null ? null : environmentReply(environment),
    holdout: {
      criterion_id: holdout.criterionId === null ? null : publicId('criterion', holdout.criterionId),
      judge_model: holdout.judgeModel,
      every_steps: holdout.everySteps,
      prompts: settings.prompts.guard,
      margin: holdout.margin,
      action: holdout.action,
    },
    human_audit: { sample: settings.auditSample },
    hyperparameters: {
      ...settings.hyperparameters,
      resample_zero_variance: settings.resampleZeroVariance,
      checkpoint_every_steps: settings.checkpointEverySteps,
    },
    stop_on_reward_plateau: plateau === null ? null : { steps: plateau.steps, min_gain: plateau.minGain },
  }
}

function environmentReply({ toolIds, maxTurns, onMiss = null }: RunEnvironment) {
  return { tool_ids: [...toolIds], max_turns: maxTurns, on_miss: onMiss }
}

function judgeReply(judge: FrozenJudge): GrpoJudge {
  const { criterionId, judgeModel, role, trust, tpr, tnr, tprCi, tnrCi, instrument } = judge
  return {
    criterion_id: publicId('criterion', criterionId),
    judge_model: judgeModel,
    role,
    trust,
    tpr,
    tnr,
    tpr_ci: tprCi === null ? null : [...tprCi],
    tnr_ci: tnrCi === null ? null : [...tnrCi],
    instrument,
  }
}

export function estimateReply(run: PreparedRun): GrpoEstimate {
  const { estimate, model, settings } = run
  const speed = model.tokensPerSecond
  return {
    object: 'grpo.estimate',
    sampling_usd: nanoToUsd(estimate.samplingNano),
    training_usd: nanoToUsd(estimate.trainingNano),
    judging_usd: nanoToUsd(estimate.judgingNano),
    guard_usd: nanoToUsd(estimate.guardSamplingNano + estimate.guardJudgingNano),
    total_usd: nanoToUsd(estimate.totalNano),
    hold_usd: nanoToUsd(run.maxCostNano - run.judgingCapNano),
    estimated_seconds: speed === null ? null : Math.ceil(estimate.sampledTokens / speed),
    looks: plannedLooks(settings),
    prompts: { ...settings.prompts },
    warnings: [...run.warnings],
  }
}
