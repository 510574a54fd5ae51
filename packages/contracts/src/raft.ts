import { z } from 'zod'
import { ChatMessage } from './chat-message.ts'
import { Trust, Verdict } from './criteria.ts'
import { endpoint } from './endpoint.ts'
import { pageLimit, pageOf, pageOffset } from './page.ts'

export const raftStatuses = [
  'sampling',
  'judging',
  'curating',
  'training',
  'evaluating',
  'done',
  'failed',
  'cancelled',
] as const
export const RaftStatus = z.enum(raftStatuses)
export type RaftStatus = z.infer<typeof RaftStatus>

const count = z.int().min(0)
const rate = z.number().min(0).max(1)
const usd = z.number().min(0)

export const RaftRound = z.object({
  id: z.string(),
  object: z.literal('raft.round'),
  name: z.string().nullable(),
  status: RaftStatus,
  status_message: z.string().nullable().describe('What it waits for, or why it failed.'),
  base_model: z.string().describe('The model that is trained.'),
  start_model: z.string().describe('The model that answers: the base, or a version of an earlier round.'),
  start_version_id: z.string().nullable().describe('The version that answers; null for the base.'),
  chain_id: z.string().describe('Id of the first round of the chain.'),
  round_index: count.describe('Number of rounds of the chain before it.'),
  previous_round_id: z.string().nullable(),
  criterion_id: z.string(),
  criterion_trust: Trust.describe('When the round started.'),
  second_criterion_id: z.string().nullable(),
  source_dataset_id: z.string().nullable().describe('The dataset with its prompts; null for those of the log.'),
  filters: z.record(z.string(), z.unknown()).nullable().describe('Which prompts of the log; null for a dataset.'),
  prompts: count,
  samples_per_prompt: z.int(),
  generated: count.describe('Answers of the start model so far, without those to held out prompts.'),
  accepted: count.describe('Answers that every judge passed.'),
  acceptance_rate: rate.nullable().describe('Null before answers are judged.'),
  prompts_all_fail: count.describe('Prompts without an accepted answer.'),
  prompts_all_pass: count.describe('Prompts of which every answer was accepted.'),
  precision_estimate: rate
    .nullable()
    .describe(
      'Share of the accepted answers that truly pass, by the error rates of the judges. Null before it is known.',
    ),
  precision_ci: z.tuple([rate, rate]).nullable().describe('95 % interval. Below `min_precision` nothing is trained.'),
  min_precision: rate,
  distinct_ratio: z
    .number()
    .min(0)
    .nullable()
    .describe('Distinct triples of words in the answers, compared with the first round. Under 0.5 the round fails.'),
  kept_examples: count.describe('Accepted answers that are trained on.'),
  real_examples: count.describe('Examples of the dataset that are mixed in.'),
  dataset_id: z.string().nullable().describe('What is trained on; null before it is curated.'),
  fine_tuning_job_id: z.string().nullable(),
  model_version_id: z.string().nullable().describe('The candidate version of a round that is done.'),
  eval_id: z
    .string()
    .nullable()
    .describe('The eval of the version that the start of the round asked for. Null before it has begun.'),
  holdout_pass_rate: z
    .object({
      before: rate,
      after: rate,
      ci: z.tuple([z.number(), z.number()]).describe('95 % interval of the difference, with prompts as clusters.'),
    })
    .nullable()
    .describe('Of prompts that were never trained on, by the judges. Null before it is measured.'),
  warnings: z.array(z.string()),
  max_cost_usd: usd,
  cost_usd: usd.describe('Answers, verdicts and training until now.'),
  created_by: z.string(),
  created_at: z.iso.datetime(),
  finished_at: z.iso.datetime().nullable(),
})
export type RaftRound = z.infer<typeof RaftRound>

export const listRaftRounds = endpoint({
  method: 'get',
  path: '/v1/raft/rounds',
  summary: 'List rounds of reward-ranked fine-tuning.',
  description:
    'RAFT: a model answers prompts many times, proven judges choose among the answers, and the model is trained on those. Rounds are started in the dashboard. Newest first.',
  service: 'training',
  permission: 'owner_admin',
  query: z.strictObject({
    status: RaftStatus.optional(),
    criterion_id: z.string().optional(),
    chain_id: z.string().optional(),
    limit: pageLimit,
    offset: pageOffset,
  }),
  reply: pageOf(RaftRound),
  errors: ['unknown_parameter'],
})

export const getRaftRound = endpoint({
  method: 'get',
  path: '/v1/raft/rounds/:id',
  summary: 'Read a round of reward-ranked fine-tuning.',
  description: 'Returns its state, what was accepted, and how much better the model became.',
  service: 'training',
  permission: 'owner_admin',
  params: z.strictObject({ id: z.string() }),
  reply: RaftRound,
  errors: ['unknown_parameter', 'not_found'],
})

export const RaftAudit = z.object({
  object: z.literal('list'),
  round_id: z.string(),
  graded: count,
  false_pass: count.describe('Graded answers that failed although the judges accepted them.'),
  upper: rate.nullable().describe('One-sided 95 % bound of the rate of false passes; null without grades.'),
  data: z.array(
    z.object({
      rollout_id: z.string(),
      messages: z.array(ChatMessage),
      completion: z.array(ChatMessage),
      grade: Verdict.nullable().describe("The caller's own grade; null without one."),
    }),
  ),
})
export type RaftAudit = z.infer<typeof RaftAudit>

export const getRaftAudit = endpoint({
  method: 'get',
  path: '/v1/raft/rounds/:id/audit',
  summary: 'Read the answers of a round that people should grade.',
  description:
    'Up to 30 answers that the round trained on, of different prompts where there are so many, without any verdict. They are graded with `POST /v1/labels` and their `rollout_id`. The version of the round is adopted, and a chain goes on after three rounds, when 30 are graded and at most 2 of them failed.',
  service: 'training',
  permission: 'owner_admin',
  params: z.strictObject({ id: z.string() }),
  reply: RaftAudit,
  errors: ['unknown_parameter', 'not_found'],
})
