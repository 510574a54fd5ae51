import { z } from 'zod'
import { Verdict } from './criteria.ts'
import { endpoint } from './endpoint.ts'
import { RoundEvidence, roundParams } from './review-rounds.ts'
import { storable } from './storable.ts'

const Message = z.looseObject({ role: z.string() })
const service = 'judging'
const audience = 'session'
const written = (max: number) =>
  storable(
    z
      .string()
      .max(max)
      .overwrite((value) => value.toWellFormed()),
  )

/** An item to grade: an exchange, or a run as one conversation. It says nothing but what is to be graded. */
export const ReviewItem = z.strictObject({
  id: z.string(),
  messages: z.array(Message),
  response: Message,
  tools: z.array(z.unknown()).nullable(),
})
export type ReviewItem = z.infer<typeof ReviewItem>

export const ReviewClaim = z.strictObject({
  object: z.literal('review.claim'),
  id: z.string().nullable().describe('Null when the round has nothing left for the caller.'),
  batch: z.int().nullable().describe('Counts the batches of the caller, from 1.'),
  leased_until: z.iso.datetime().nullable(),
  items: z.array(ReviewItem),
})
export type ReviewClaim = z.infer<typeof ReviewClaim>

export const claimItems = endpoint({
  method: 'post',
  path: '/session/review/rounds/:id/claim',
  summary: 'Take items of a round.',
  description:
    'Leases them for ten minutes; each grade of the batch, and a heartbeat, renews the lease. A batch of the caller that is not in `holding` and has items without a grade is returned again instead of a new one.',
  service,
  audience,
  permission: 'grader',
  params: roundParams,
  body: z.strictObject({
    count: z.int().min(1).max(10).default(10).describe('Of runs at most five, because each may be long.'),
    holding: z.array(z.string()).max(10).default([]).describe('Batches that the browser has.'),
  }),
  reply: ReviewClaim,
  errors: ['not_found', 'conflict', 'logging_disabled'],
})

export const renewClaims = endpoint({
  method: 'post',
  path: '/session/review/rounds/:id/heartbeat',
  summary: 'Renew the leases of batches.',
  description: 'A batch whose lease has ended is not renewed: others may hold its items. Grades of it still count.',
  service,
  audience,
  permission: 'grader',
  params: roundParams,
  body: z.strictObject({ claim_ids: z.array(z.string()).min(1).max(10) }),
  reply: z.object({
    object: z.literal('list'),
    data: z.array(z.object({ id: z.string(), leased_until: z.iso.datetime() })),
  }),
  errors: ['not_found'],
})

export const reviewReasons = z.array(written(200)).max(20).default([])

export const gradeItem = endpoint({
  method: 'post',
  path: '/session/review/grades',
  summary: 'Grade an item of a round.',
  description:
    'Sent again with the same `grade_id` it has no further effect. A later grade of the same item supersedes the earlier one; after the verdicts of the batch were read it is stored as not blind, and counts for nothing but a decision by another person. `unsure` is no grade of the judge.',
  service,
  audience,
  permission: 'grader',
  body: z.strictObject({
    grade_id: z.uuid(),
    claim_id: z.string(),
    item_id: z.string(),
    label: z.enum(['pass', 'fail', 'unsure']),
    reasons: reviewReasons,
    rationale: written(10_000).nullish(),
    shown_ms: z.int().min(0).max(86_400_000),
    seen_all: z.boolean().default(false).describe('Of a run: whether its last step was on screen.'),
  }),
  reply: z.strictObject({
    object: z.literal('review.grade'),
    grade_id: z.string(),
    blind: z.boolean(),
    batch_complete: z.boolean(),
  }),
  status: 201,
  errors: ['not_found', 'idempotency_conflict', 'quota_exceeded'],
})

/** An item of a complete batch, with what was hidden. */
export const RevealedItem = z.object({
  id: z.string(),
  log_id: z.string().nullable(),
  trace_id: z.string().nullable().describe('Of a run.'),
  kind: z
    .enum(['new', 'double', 'again', 'known'])
    .describe('`double`: two people grade it. `again`: the caller graded it before. `known`: it was settled before.'),
  label: z.enum(['pass', 'fail', 'unsure']),
  verdict: Verdict.nullable().describe('Of the judge, in the frame.'),
  explanation: z.string().nullable(),
  known: Verdict.nullable().describe('What the earlier grades said, for `again` and `known`.'),
})
export type RevealedItem = z.infer<typeof RevealedItem>

export const readBatch = endpoint({
  method: 'get',
  path: '/session/review/rounds/:id/batches/:n',
  summary: 'Read the verdicts of a batch.',
  description: 'Once all items of the batch have a grade. Grades of them are not blind from then on.',
  service,
  audience,
  permission: 'grader',
  params: z.strictObject({ id: z.string(), n: z.string().regex(/^[1-9]\d{0,5}$/) }),
  reply: z.object({
    object: z.literal('review.batch'),
    batch: z.int(),
    items: z.array(RevealedItem),
    evidence: RoundEvidence.nullable(),
  }),
  errors: ['not_found', 'conflict'],
})
