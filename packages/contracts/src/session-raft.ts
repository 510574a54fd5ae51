import { z } from 'zod'
import { maxCostUsd } from './criteria.ts'
import { endpoint, Nothing } from './endpoint.ts'
import { AfterTraining, SupervisedHyperparameters } from './fine-tuning-body.ts'
import { SampleFilters } from './internal-logs.ts'
import { RaftRound } from './raft.ts'
import { storable } from './storable.ts'

const name = storable(z.string().min(1).max(200))

export const StartRaftRound = z.strictObject({
  name: name.nullish(),
  baseModel: name
    .nullish()
    .describe('A model that can be trained. Exactly one of this, `modelVersionId` and `continueFromRoundId`.'),
  modelVersionId: name
    .nullish()
    .describe('Id or name of a version with an adapter that is served: it answers, and the training goes on with it.'),
  continueFromRoundId: name
    .nullish()
    .describe('The next round of a chain, with the base, the prompts and the judges of that round.'),
  datasetId: name
    .nullish()
    .describe('Its prompts. This or `filters` is required, except for the next round of a chain.'),
  filters: SampleFilters.nullish().describe(
    'Up to 2,000 distinct prompts of the log, chosen at random. Their logged replies are what `realDataPct` mixes in.',
  ),
  evalDatasetId: name
    .nullish()
    .describe('Prompts to measure with, at least 32. By default the other side of the split, else `holdoutPct`.'),
  holdoutPct: z
    .int()
    .min(1)
    .max(50)
    .nullish()
    .describe(
      'Percent of the prompts to measure with, which are not trained on: by default 10, where no others are held out.',
    ),
  criterionId: name
    .nullish()
    .describe('A proven judge of single exchanges. Required, except for the next round of a chain.'),
  secondCriterionId: name.nullish().describe('A second one, which has to pass an answer too.'),
  samplesPerPrompt: z.int().min(2).max(64).default(8),
  keep: z.enum(['best', 'all_passing', 'top_k']).default('best').describe('How many accepted answers of a prompt.'),
  keepPerPrompt: z.int().min(1).max(64).default(1).describe('With `top_k`.'),
  minPassesPerPrompt: z.int().min(1).max(64).default(2).describe('Fewest accepted answers of a prompt that is used.'),
  dropAllPass: z.boolean().default(true).describe('Leaves out prompts of which every answer was accepted.'),
  temperature: z.number().min(0).max(2).default(1),
  topP: z.number().positive().max(1).default(1),
  maxOutputTokens: z.int().min(1).max(32_768).default(1_024),
  realDataPct: z
    .int()
    .min(0)
    .max(50)
    .default(10)
    .describe("Percent of the examples that are the dataset's own replies."),
  minPrecision: z.number().min(0).max(1).default(0.85).describe('Least lower bound of the precision of what is kept.'),
  fineTuning: z
    .strictObject({ hyperparameters: SupervisedHyperparameters.prefault({}) })
    .nullish()
    .describe('Settings of the training. A chain keeps those of its last round.'),
  evalBaseline: AfterTraining.nullish().describe(
    'Compares the version with a model when it is trained, on the prompts that were held out. The eval is paid besides `maxCostUsd`.',
  ),
  maxCostUsd: maxCostUsd.describe('Answers, verdicts and training together.'),
  seed: z.int().min(0).max(2_147_483_647).nullish(),
})
export type StartRaftRound = z.output<typeof StartRaftRound>

const ofRaft = { service: 'training', audience: 'session', permission: 'owner_admin', method: 'post' } as const
const ofRound = { ...ofRaft, params: z.strictObject({ id: z.string() }), body: Nothing, reply: RaftRound } as const

const usd = z.number().min(0)
const count = z.int().min(0)

export const RaftEstimate = z.object({
  object: z.literal('raft.estimate'),
  base_model: z.string().describe('The model that is trained.'),
  start_model: z.string().describe('The model that answers.'),
  prompts: count,
  held_out: count.describe('Prompts that are only measured with.'),
  answers: count.describe('Answers that are chosen from.'),
  sampling_usd: usd.describe('Those answers, and the ones to held out prompts before and after the training.'),
  judging_usd: usd,
  training_tokens: count.describe('When something is kept of every prompt.'),
  training_usd: usd,
  total_usd: usd,
  warnings: z.array(z.string()),
})
export type RaftEstimate = z.infer<typeof RaftEstimate>

const startErrors = [
  'unknown_parameter',
  'not_found',
  'model_not_found',
  'model_not_trainable',
  'logging_disabled',
  'invalid_training_data',
  'criterion_not_trustworthy',
  'unsupported_unit',
  'precondition_failed',
  'conflict',
] as const

export const estimateRaftRound = endpoint({
  ...ofRaft,
  path: '/session/raft/rounds/estimate',
  summary: 'Estimate what a round of reward-ranked fine-tuning costs.',
  description: 'Checks the same as its start, and creates and calls nothing. `maxCostUsd` may be left out.',
  body: StartRaftRound.extend({ maxCostUsd: maxCostUsd.nullish() }),
  reply: RaftEstimate,
  errors: startErrors,
})

export const startRaftRound = endpoint({
  ...ofRaft,
  path: '/session/raft/rounds',
  summary: 'Start a round of reward-ranked fine-tuning.',
  description: 'Nothing is called when the wallet does not cover `maxCostUsd`.',
  guard: true,
  status: 202,
  body: StartRaftRound,
  reply: RaftRound,
  requestHeaders: ['Idempotency-Key'],
  errors: [...startErrors, 'insufficient_balance', 'quota_exceeded', 'idempotency_conflict'],
})

export const cancelRaftRound = endpoint({
  ...ofRound,
  path: '/session/raft/rounds/:id/cancel',
  summary: 'Cancel a round.',
  description: 'What was answered and judged is charged and kept. A job of the round is cancelled too.',
  errors: ['not_found', 'conflict'],
})

export const resumeRaftRound = endpoint({
  ...ofRound,
  path: '/session/raft/rounds/:id/resume',
  summary: 'Resume a round that was cancelled or failed.',
  description:
    'It goes on where it stopped: nothing is asked twice. A round whose precision is too low cannot go on. With an `Idempotency-Key` it is no error that it goes on already.',
  guard: true,
  requestHeaders: ['Idempotency-Key'],
  errors: ['not_found', 'conflict', 'criterion_not_trustworthy', 'insufficient_balance', 'quota_exceeded'],
})

export const raftEndpoints = [startRaftRound, estimateRaftRound, cancelRaftRound, resumeRaftRound] as const
