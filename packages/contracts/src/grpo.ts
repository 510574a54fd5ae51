import { z } from 'zod'
import { mebibyte } from './byte-sizes.ts'
import { RateInterval, Trust } from './criteria.ts'
import { endpoint } from './endpoint.ts'
import { toolMisses } from './environment-tools-body.ts'
import { CreateGrpoRun } from './grpo-body.ts'
import { GrpoTrainerHyperparameters } from './grpo-spec.ts'
import { pageFields, pageLimit, pageOffset } from './page.ts'

export const grpoStatuses = [
  'queued',
  'preparing',
  'running',
  'paused',
  'evaluating',
  'awaiting_adoption',
  'adopted',
  'rejected',
  'failed',
  'cancelled',
] as const
export const GrpoStatus = z.enum(grpoStatuses)
export type GrpoStatus = z.infer<typeof GrpoStatus>

export const grpoPauses = [
  'user',
  'criterion_trust_lost',
  'reward_diverged',
  'policy_mismatch',
  'credit',
  'tool_misses',
] as const
export const GrpoPause = z.enum(grpoPauses)
export type GrpoPause = z.infer<typeof GrpoPause>

export const GuardVerdict = z.enum(['collecting', 'healthy', 'diverging', 'regressed'])
export type GuardVerdict = z.infer<typeof GuardVerdict>

const usd = z.number().min(0)
const count = z.int().min(0)
const share = z.number().min(0).max(1)

const term = { weight: share.describe('Of the weights together 1.'), required: z.boolean() }

/** A reward with all defaults filled in. */
export const GrpoRunReward = z.object({
  criteria: z.array(z.object({ criterion_id: z.string(), ...term })),
  functions: z.array(z.looseObject({ type: z.string(), name: z.string().describe('As `terms` have it.'), ...term })),
  tools: z.array(
    z.object({ environment_tool_id: z.string(), name: z.string().describe('As `terms` have it.'), ...term }),
  ),
})

/** A judge as it was when the run was created. */
export const GrpoJudge = z.object({
  criterion_id: z.string(),
  judge_model: z.string(),
  role: z.enum(['reward', 'holdout']),
  trust: Trust,
  tpr: share.nullable(),
  tnr: share.nullable(),
  tpr_ci: RateInterval.nullable(),
  tnr_ci: RateInterval.nullable(),
  instrument: z.int(),
})
export type GrpoJudge = z.infer<typeof GrpoJudge>

export const GrpoRun = z.object({
  id: z.string(),
  object: z.literal('grpo.run'),
  name: z.string(),
  status: GrpoStatus,
  phase: z.enum(['preparing', 'training', 'evaluating', 'uploading']).nullable().describe('Only while it trains.'),
  waiting_for: z
    .enum(['gpu', 'credit', 'people'])
    .nullable()
    .describe(
      '`gpu`: a free place of its trainer. `credit`: money for its judges, then a resume. `people`: a decision about what it made.',
    ),
  paused_reason: GrpoPause.nullable(),
  status_message: z.string().nullable().describe('Why it is paused, failed or ended early.'),
  base_model: z.string(),
  warm_start_from: z.string().nullable().describe('Id of the model version that it is trained from.'),
  dataset_id: z.string(),
  eval_dataset_id: z
    .string()
    .nullable()
    .describe('Null when the prompts that are held out were carved from the dataset.'),
  prompts: z
    .object({ train: count, guard: count, proof: count })
    .describe('Distinct prompts that are trained on, that looks use, and that only the eval of the result uses.'),
  reward: GrpoRunReward,
  environment: z
    .object({
      tool_ids: z.array(z.string()),
      max_turns: z.int(),
      on_miss: z.enum(toolMisses).nullable().describe('Null: what each tool says.'),
    })
    .nullable(),
  holdout: z
    .object({
      criterion_id: z.string().nullable(),
      judge_model: z.string().nullable(),
      every_steps: z.int(),
      prompts: z.int(),
      margin: z.number(),
      action: z.enum(['pause', 'stop', 'none']),
    })
    .describe('With neither judge only grades of people can show that the reward is exploited.'),
  human_audit: z.object({ sample: z.int() }),
  hyperparameters: z.object({
    ...GrpoTrainerHyperparameters.shape,
    resample_zero_variance: z.int(),
    checkpoint_every_steps: z.int(),
  }),
  stop_on_reward_plateau: z.object({ steps: z.int(), min_gain: z.number() }).nullable(),
  trainer: z.string(),
  seed: z.int(),
  progress: z.object({ step: count, total_steps: count }),
  reward_baseline: share.nullable().describe('Mean reward of the first look; null before it is judged.'),
  reward_current: share.nullable().describe('Mean reward of the last step.'),
  guard: z.object({ verdict: GuardVerdict, looks: count, last_step: count.nullable() }),
  judges_at_start: z.array(GrpoJudge),
  best_step: count.nullable().describe('The look with the highest rate of the hold-out judge, else of the reward.'),
  model_version_id: z.string().nullable().describe('The version of the best step; null before the run is over.'),
  model: z.string().nullable().describe('Its name.'),
  eval_id: z
    .string()
    .nullable()
    .describe('The eval that `afterTraining` has started. `warnings` says when none could be started.'),
  stopped_early: z.enum(['max_cost', 'plateau', 'diverged']).nullable(),
  attempts: count.describe('Attempts that were lost. After the fifth the run fails.'),
  estimated_cost_usd: usd,
  held_usd: usd,
  cost_usd: usd.describe('Charged for training until the last checkpoint.'),
  judge_cost_usd: usd.describe('Charged for judges.'),
  max_cost_usd: usd,
  warnings: z.array(z.string()),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  metadata: z.record(z.string(), z.string()).nullable(),
  created_by: z.string(),
  created_at: z.iso.datetime(),
  started_at: z.iso.datetime().nullable(),
  finished_at: z.iso.datetime().nullable(),
})
export type GrpoRun = z.infer<typeof GrpoRun>

export const GrpoEstimate = z.object({
  object: z.literal('grpo.estimate'),
  sampling_usd: usd,
  training_usd: usd,
  judging_usd: usd.describe(
    'Of the answers of all steps, and of those that say nothing, which each judge of the reward is asked about before a run.',
  ),
  guard_usd: usd.describe('Of all looks: their answers and both judges.'),
  total_usd: usd.describe(
    'For answers of 256 tokens, or of `maxOutputTokens` when that is less, and without groups that are sampled again.',
  ),
  hold_usd: usd.describe('What a run would hold for training; judges are charged as they are called.'),
  estimated_seconds: z.number().nullable().describe('Null when the speed of the trainer is not known.'),
  looks: count,
  prompts: GrpoRun.shape.prompts,
  warnings: z.array(z.string()),
})
export type GrpoEstimate = z.infer<typeof GrpoEstimate>

const params = z.object({ id: z.string() })
export const ofTraining = { service: 'training', permission: 'owner_admin' } as const
export const ofGrpoRun = { ...ofTraining, params } as const

const flat =
  'Keys are in camelCase or in snake_case. A key in both spellings with different values, neither or both of `baseModel` and `warmStartFrom`, and a reward without any source are answered with 400 and `{"error": "<message>"}`.'
const creation = [
  'unknown_parameter',
  'model_not_trainable',
  'model_not_found',
  'invalid_training_data',
  'not_found',
  'conflict',
  'unsupported_unit',
  'criterion_not_trustworthy',
  'request_too_large',
  'unsupported_media_type',
] as const

export const createGrpoRun = endpoint({
  ...ofTraining,
  method: 'post',
  path: '/v1/grpo/runs',
  summary: 'Create a GRPO run.',
  description: `Trains a model by the rewards of its own answers. Every judge of the reward must be proven, and none may pass answers that say nothing. The wallet must cover \`maxCostUsd\`, of which the part for training is held. ${flat}`,
  guard: true,
  status: 202,
  maxBodyBytes: mebibyte,
  body: CreateGrpoRun,
  reply: GrpoRun,
  refusesFlatly: true,
  requestHeaders: ['Idempotency-Key'],
  errors: [...creation, 'insufficient_balance', 'quota_exceeded', 'idempotency_conflict'],
})

export const estimateGrpoRun = endpoint({
  ...ofTraining,
  method: 'post',
  path: '/v1/grpo/runs/estimate',
  summary: 'Estimate the cost of a GRPO run.',
  description: `Checks the same body and reads the prompts. Nothing is held, judged or created. ${flat}`,
  body: CreateGrpoRun,
  reply: GrpoEstimate,
  refusesFlatly: true,
  errors: creation,
})

export const GrpoRunList = z.object({
  runs: z.array(GrpoRun),
  candidates_waiting: count.describe('Runs that are trained and measured, and about which nobody has decided.'),
  active: count.describe('Runs that train or evaluate.'),
  queued: count,
  ...pageFields,
})

export const listGrpoRuns = endpoint({
  ...ofTraining,
  method: 'get',
  path: '/v1/grpo/runs',
  summary: 'List GRPO runs.',
  description: 'Newest first. `total` counts the runs with the status; the other counts are of all runs.',
  query: z.strictObject({ status: GrpoStatus.optional(), limit: pageLimit, offset: pageOffset }),
  reply: GrpoRunList,
  errors: ['unknown_parameter'],
})

export const getGrpoRun = endpoint({
  ...ofGrpoRun,
  method: 'get',
  path: '/v1/grpo/runs/:id',
  summary: 'Read a GRPO run.',
  description: 'Returns its state, its cost and what the guard found.',
  reply: GrpoRun,
  errors: ['unknown_parameter', 'not_found'],
})

const ofChange = { ...ofGrpoRun, method: 'post', reply: GrpoRun } as const

export const cancelGrpoRun = endpoint({
  ...ofChange,
  path: '/v1/grpo/runs/:id/cancel',
  summary: 'Cancel a GRPO run.',
  description: 'A running one may take a minute to end. Its steps until the last checkpoint are charged.',
  errors: ['unknown_parameter', 'not_found', 'conflict'],
})

export const pauseGrpoRun = endpoint({
  ...ofChange,
  path: '/v1/grpo/runs/:id/pause',
  summary: 'Pause a GRPO run.',
  description: 'A running one saves a checkpoint first. After 30 days a paused run is cancelled.',
  errors: ['unknown_parameter', 'not_found', 'conflict'],
})

export const resumeGrpoRun = endpoint({
  ...ofChange,
  guard: true,
  path: '/v1/grpo/runs/:id/resume',
  summary: 'Resume a paused GRPO run.',
  description:
    'Asks again whether its judges are proven, forgets failures of its tools, holds what is left, and queues the run, which continues at its last checkpoint. Resuming one that the guard has paused accepts what the guard found until then: it is paused again if it grows.',
  requestHeaders: ['Idempotency-Key'],
  errors: ['unknown_parameter', 'not_found', 'conflict', 'insufficient_balance', 'criterion_not_trustworthy'],
})
