import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { storable } from './storable.ts'

export const FeedbackRating = z.enum(['up', 'down'])

/** What a user of an application thought of an answer. It is not a grade. */
export const Feedback = z.object({
  object: z.literal('feedback'),
  id: z.string(),
  log_id: z.string().nullable().describe('The log entry; null for feedback on a trace.'),
  trace_id: z.string().nullable().describe('The trace; null for feedback on one entry.'),
  rating: FeedbackRating.nullable(),
  score: z.number().nullable(),
  comment: z.string().nullable().describe('Without secrets.'),
  created_at: z.iso.datetime(),
})
export type Feedback = z.infer<typeof Feedback>

const name = storable(z.string().min(1).max(200)).optional()

export const GiveFeedback = z.strictObject({
  log_id: name,
  response_id: name.describe(
    'The `X-Request-Id` of an answer, or the `id` of one that has this id in it: `resp_…` and what this gateway translated.',
  ),
  trace_id: name,
  rating: FeedbackRating.optional(),
  score: z.number().min(0).max(1).optional().describe('0 is the worst; less than 0.5 counts as `down`, more as `up`.'),
  comment: storable(z.string().min(1).max(2_000)).optional(),
})
export type GiveFeedback = z.output<typeof GiveFeedback>

/** Feedback that a log entry or a trace keeps. */
export const maxFeedback = 50

export const giveFeedback = endpoint({
  method: 'post',
  path: '/v1/feedback',
  summary: 'Send what a user thought of an answer.',
  description: `A \`rating\`, a \`score\` or a \`comment\`, or several of them, on one of \`log_id\`, \`response_id\` and \`trace_id\`. It is shown with the log entry and deleted with it. It is never a grade and changes no figure of a judge: where it contradicts the verdict of a judge, people are asked to grade the exchange first. An answer is in the log a second or two after it was given, and only if it was logged; until then the answer is 404. At most ${maxFeedback} for each entry and each trace. Secrets in a comment are replaced.`,
  service: 'logging',
  permission: 'any',
  status: 201,
  body: GiveFeedback,
  reply: Feedback,
  requestHeaders: ['Idempotency-Key'],
  errors: [
    'not_found',
    'logging_disabled',
    'unknown_parameter',
    'quota_exceeded',
    'conflict',
    'idempotency_conflict',
    'request_too_large',
    'unsupported_media_type',
  ],
})
