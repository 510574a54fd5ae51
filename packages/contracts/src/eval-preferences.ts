import { z } from 'zod'
import { ChatMessage } from './chat-message.ts'
import { RateInterval } from './criteria.ts'
import { endpoint } from './endpoint.ts'
import { pageLimit, pageOf, pageOffset } from './page.ts'
import { wholeNumber } from './query-values.ts'
import { storable } from './storable.ts'

const rate = z.number().min(0).max(1)
const count = z.int().min(0)
const word = storable(z.string().min(1).max(200))
const service = 'eval'

export const Preferred = z.enum(['baseline', 'candidate', 'tie'])
export type Preferred = z.infer<typeof Preferred>

/** The answers of `next_to_compare` by the side on which they are shown. */
const sides = ['first', 'second'] as const
const Sent = z.enum([...Preferred.options, ...sides])

/** A person's preference between two answers of a sample. It is permanent: a later one of the same grader supersedes it. */
export const EvalPreference = z.object({
  object: z.literal('eval.preference'),
  id: z.string(),
  eval_id: z.string(),
  sample_id: z.string(),
  candidate: z.string(),
  preference: Preferred,
  grader_id: z.string(),
  created_by: z
    .string()
    .nullable()
    .default(null)
    .describe('Id of the user who sent it; null for preferences of earlier releases.'),
  key_id: z.string().nullable().default(null).describe('Id of the API key that sent it; null for a session.'),
  blind: z
    .boolean()
    .default(false)
    .describe(
      'True when the person saw neither the names of the models nor the verdict. Only such preferences are evidence.',
    ),
  created_at: z.iso.datetime(),
})
export type EvalPreference = z.infer<typeof EvalPreference>

const CreateEvalPreference = z.strictObject({
  preference: Sent.describe('`first` and `second` are the answers as `next_to_compare` shows them.'),
  candidate: word.optional().describe('Required when the eval has several candidates.'),
  grader: word.nullish().describe('The grader; by default the user of the API key.'),
  blind: z
    .boolean()
    .default(false)
    .describe(
      'True when the person saw neither the names of the models nor the verdict of the judge. With an API key this needs `first`, `second` or `tie`.',
    ),
})
export type CreateEvalPreference = z.infer<typeof CreateEvalPreference>

export const createEvalPreference = endpoint({
  method: 'post',
  path: '/v1/evals/:id/samples/:sample_id/preferences',
  summary: 'Prefer an answer of a sample.',
  description:
    'Stores which answer a person prefers. Preferences are never changed or deleted. The latest of each grader calibrates the judge of the eval. The first blind one about a sample is evidence for an alias, whoever gave it; who sent it is stored.',
  service,
  permission: 'owner_admin',
  guard: true,
  params: z.strictObject({ id: z.string(), sample_id: z.string() }),
  body: CreateEvalPreference,
  reply: EvalPreference.extend({
    preference: Sent.describe('As it was sent, so that it does not say which model a side is.'),
  }),
  status: 201,
  errors: ['not_found', 'unknown_parameter', 'request_too_large', 'unsupported_media_type'],
})

/** An answer without the name of its model. */
const ComparedAnswer = z.object({
  text: z
    .string()
    .nullable()
    .describe('The answer without reasoning and tool calls; null when it has only tool calls.'),
  tool_calls: z
    .array(z.unknown())
    .nullable()
    .describe('Their ids are numbers in order, since those of a provider would name it.'),
})

/** Two answers to compare, without names and verdicts. Which one is first depends on the sample and the candidate. */
export const EvalComparison = z.object({
  object: z.literal('eval.comparison'),
  eval_id: z.string(),
  sample_id: z.string(),
  prompt: z.object({ messages: z.array(ChatMessage), tools: z.array(z.unknown()).nullable() }),
  first: ComparedAnswer,
  second: ComparedAnswer,
})
export type EvalComparison = z.infer<typeof EvalComparison>

export const nextToCompare = endpoint({
  method: 'get',
  path: '/v1/evals/:id/next_to_compare',
  summary: 'Get answers for people to compare.',
  description:
    'The next samples that nobody has compared blind, in the order in which the eval drew them, without names of models and verdicts. Send the preference with `blind: true`. Evidence counts the preferences up to the first sample in this order that has none, so compare them one by one. Samples whose texts were deleted cannot be compared. Requires an eval that is DONE.',
  service,
  permission: 'any',
  params: z.strictObject({ id: z.string() }),
  query: z.strictObject({
    candidate: word.optional().describe('Required when the eval has several candidates.'),
    count: wholeNumber({ min: 1, max: 20 }).default(10),
  }),
  reply: z.object({
    object: z.literal('list'),
    data: z.array(EvalComparison),
    compared: count.describe('Number of samples that count as evidence so far, those of missing answers included.'),
    total: count.describe('Number of samples that the eval drew.'),
  }),
  errors: ['not_found', 'conflict', 'unknown_parameter'],
})

export const listEvalPreferences = endpoint({
  method: 'get',
  path: '/v1/evals/:id/preferences',
  summary: 'List the preferences of people in an eval.',
  description: 'Newest first, superseded ones included.',
  service,
  permission: 'any',
  params: z.strictObject({ id: z.string() }),
  query: z.strictObject({ limit: pageLimit, offset: pageOffset }),
  reply: pageOf(EvalPreference),
  errors: ['not_found', 'unknown_parameter'],
})

export const CandidateCalibration = z.object({
  graded: count.describe('Number of judged samples with a preference of most of their graders.'),
  accuracy: rate.nullable().describe('Estimated share of judged samples on which the judge agrees with people.'),
  accuracy_ci: RateInterval.nullable(),
  win_rate: rate.nullable().describe('The win rate of the report, by the judge.'),
  win_rate_ci: RateInterval.nullable(),
  corrected_win_rate: rate.nullable().describe('Estimate of the win rate that people would give.'),
  corrected_win_rate_ci: RateInterval.nullable(),
  grades_needed: z
    .object({ win: count, tie: count, loss: count })
    .describe(
      'Missing preferences by outcome of the judge, before anything is estimated. Choose samples of an outcome at random.',
    ),
})
export type CandidateCalibration = z.infer<typeof CandidateCalibration>

export const calibrateEval = endpoint({
  method: 'get',
  path: '/v1/evals/:id/calibration',
  summary: 'Compare the judge of an eval with people.',
  description:
    'How often the judge agrees with the preferences of people, and the win rate corrected for its errors. Outcomes may be graded in any proportion; within one outcome, which samples are graded must not depend on the answers.',
  service,
  permission: 'any',
  params: z.strictObject({ id: z.string() }),
  reply: z.object({
    object: z.literal('eval.calibration'),
    eval_id: z.string(),
    candidates: z.record(z.string(), CandidateCalibration),
  }),
  errors: ['not_found', 'unknown_parameter'],
})
