import { z } from 'zod'
import { maxCostUsd } from './criteria.ts'
import { endpoint, Nothing } from './endpoint.ts'
import { RaftRound } from './raft.ts'
import { storable } from './storable.ts'

const name = storable(z.string().min(1).max(200))

export const StartRaftRound = z.strictObject({
  name: name.nullish(),
  baseModel: name.nullish().describe('A model that can be trained. Not together with `continueFromRoundId`.'),
  continueFromRoundId: name
    .nullish()
    .describe('The next round of a chain, with the base, the prompts and the judges of that round.'),
  datasetId: name.nullish().describe('Its prompts. Required with `baseModel`.'),
  evalDatasetId: name
    .nullish()
    .describe('Prompts to measure with, at least 32. By default the other side of the split, else a tenth.'),
  criterionId: name.nullish().describe('A proven judge of single exchanges. Required with `baseModel`.'),
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
  maxCostUsd: maxCostUsd.describe('Answers, verdicts and training together.'),
  seed: z.int().min(0).max(2_147_483_647).nullish(),
})
export type StartRaftRound = z.output<typeof StartRaftRound>

const ofRaft = { service: 'training', audience: 'session', permission: 'owner_admin', method: 'post' } as const
const ofRound = { ...ofRaft, params: z.strictObject({ id: z.string() }), body: Nothing, reply: RaftRound } as const

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
  errors: [
    'unknown_parameter',
    'not_found',
    'model_not_trainable',
    'invalid_training_data',
    'criterion_not_trustworthy',
    'unsupported_unit',
    'precondition_failed',
    'insufficient_balance',
    'quota_exceeded',
    'conflict',
    'idempotency_conflict',
  ],
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
  description: 'It goes on where it stopped: nothing is asked twice. A round whose precision is too low cannot go on.',
  guard: true,
  errors: ['not_found', 'conflict', 'criterion_not_trustworthy', 'insufficient_balance', 'quota_exceeded'],
})

export const raftEndpoints = [startRaftRound, cancelRaftRound, resumeRaftRound] as const
