import { z } from 'zod'
import { RateInterval } from './criteria.ts'
import { endpoint } from './endpoint.ts'
import { pageLimit, pageOf, pageOffset } from './page.ts'
import { storable } from './storable.ts'

const rate = z.number().min(0).max(1)
const count = z.int().min(0)
const word = storable(z.string().min(1).max(200))
const service = 'eval'

export const Preferred = z.enum(['baseline', 'candidate', 'tie'])
export type Preferred = z.infer<typeof Preferred>

/** A person's preference between two answers of a sample. It is permanent: a later one of the same grader supersedes it. */
export const EvalPreference = z.object({
  object: z.literal('eval.preference'),
  id: z.string(),
  eval_id: z.string(),
  sample_id: z.string(),
  candidate: z.string(),
  preference: Preferred,
  grader_id: z.string(),
  created_at: z.iso.datetime(),
})
export type EvalPreference = z.infer<typeof EvalPreference>

export const createEvalPreference = endpoint({
  method: 'post',
  path: '/v1/evals/:id/samples/:sample_id/preferences',
  summary: 'Prefer an answer of a sample.',
  description:
    'Stores which answer a person prefers. Preferences are never changed or deleted; the latest of a grader counts. They calibrate the judge of the eval.',
  service,
  permission: 'owner_admin',
  guard: true,
  params: z.strictObject({ id: z.string(), sample_id: z.string() }),
  body: z.strictObject({
    preference: Preferred,
    candidate: word.optional().describe('Required when the eval has several candidates.'),
    grader: word.nullish().describe('The grader; by default the user of the API key.'),
  }),
  reply: EvalPreference,
  status: 201,
  errors: ['not_found', 'unknown_parameter', 'request_too_large', 'unsupported_media_type'],
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
