import { z } from 'zod'
import { RateInterval, Verdict } from './criteria.ts'
import { endpoint } from './endpoint.ts'
import { pageLimit, pageOf, pageOffset } from './page.ts'
import { storable } from './storable.ts'

const Message = z.looseObject({ role: z.string() })
const rate = z.number().min(0).max(1)
const service = 'judging'
const audience = 'session'

/** An item on which people disagree, without their names and without any verdict of a judge. */
export const Adjudication = z.object({
  object: z.literal('review.adjudication'),
  id: z.string(),
  criterion_id: z.string().nullable(),
  messages: z.array(Message),
  response: Message,
  tools: z.array(z.unknown()).nullable(),
  grades: z.array(z.object({ label: Verdict, rationale: z.string().nullable() })),
})
export type Adjudication = z.infer<typeof Adjudication>

export const listAdjudications = endpoint({
  method: 'get',
  path: '/session/review/adjudications',
  summary: 'List items on which people disagree.',
  description: 'Those that the caller may decide: nobody decides about an item that they graded.',
  service,
  audience,
  permission: 'grader',
  query: z.strictObject({ criterion_id: z.string().optional(), limit: pageLimit, offset: pageOffset }),
  reply: pageOf(Adjudication),
  errors: ['not_found'],
})

export const readWaitingItems = endpoint({
  method: 'get',
  path: '/session/review/waiting',
  summary: 'Count the items that wait for the caller.',
  description: 'Nothing about their content, their judges or other people is told.',
  service,
  audience,
  permission: 'grader',
  reply: z.object({
    object: z.literal('review.waiting'),
    started: z.int().describe('Items without a grade in batches that the caller holds.'),
    disputed: z.int().describe('Items on which others disagree, and that the caller may decide.'),
  }),
})

export const adjudicate = endpoint({
  method: 'post',
  path: '/session/review/adjudications/:id',
  summary: 'Decide an item on which people disagree.',
  description: 'The grade counts as one more; the majority decides.',
  service,
  audience,
  permission: 'grader',
  params: z.strictObject({ id: z.string() }),
  body: z.strictObject({
    label: Verdict,
    rationale: storable(
      z
        .string()
        .max(10_000)
        .overwrite((value) => value.toWellFormed()),
    ).nullish(),
  }),
  reply: z.object({ object: z.literal('review.decision'), id: z.string(), label: Verdict, settled: z.boolean() }),
  status: 201,
  errors: ['not_found', 'conflict'],
})

export const readGraders = endpoint({
  method: 'get',
  path: '/session/review/graders',
  summary: 'Read how people grade for a judge.',
  description:
    'Agreement is that of `labels/agreement`. The self-agreement and the known items are those of the caller alone.',
  service,
  audience,
  permission: 'any',
  query: z.strictObject({ criterion_id: z.string() }),
  reply: z.object({
    object: z.literal('review.graders'),
    criterion_id: z.string(),
    pairs_n: z.int(),
    raw_agreement: rate.nullable(),
    raw_agreement_ci: RateInterval.nullable(),
    cohen_kappa: z.number().nullable(),
    fleiss_kappa: z.number().nullable(),
    ceiling: z
      .object({ rate, ci: RateInterval })
      .nullable()
      .describe('The highest rate that a perfect judge can show.'),
    graders: z.array(
      z.object({
        grader_id: z.string(),
        grades: z.int(),
        median_seconds: z.number().nullable(),
        fail_rate: rate.nullable(),
        fail_rate_ci: RateInterval.nullable(),
        agreement_with_majority: rate.nullable(),
        self_agreement: z.object({ same: z.int(), n: z.int(), rate: rate.nullable() }).nullable(),
        known: z.object({ right: z.int(), n: z.int() }).nullable(),
      }),
    ),
    pairs: z.array(
      z.object({
        grader_ids: z.tuple([z.string(), z.string()]),
        n: z.int(),
        raw_agreement: rate,
        raw_agreement_ci: RateInterval,
        cohen_kappa: z.number().nullable(),
      }),
    ),
    disagreements: z.array(z.string()).max(10).describe('Log ids, or label ids of imported items.'),
  }),
  errors: ['not_found'],
})
