import { z } from 'zod'
import { maxCostUsd, RateInterval, Trust } from './criteria.ts'
import { endpoint } from './endpoint.ts'
import { SampleFilters } from './internal-logs.ts'
import { pageLimit, pageOf, pageOffset } from './page.ts'

const rate = z.number().min(0).max(1)
const percent = (max: number) => z.int().min(0).max(max)

/** What the grades of a round say about its judge so far. It is no calibration: nothing acts on it. */
export const RoundEvidence = z.object({
  tpr: rate.nullable(),
  tnr: rate.nullable(),
  tpr_ci: RateInterval.nullable(),
  tnr_ci: RateInterval.nullable(),
  trust: Trust.describe('What a calibration would find if the judge gave the verdicts of the frame again.'),
  confusion: z.object({ tp: z.int(), fn: z.int(), fp: z.int(), tn: z.int() }),
})
export type RoundEvidence = z.infer<typeof RoundEvidence>

const StratumFigures = z.object({
  stratum: z.string(),
  verdict: z.enum(['pass', 'fail']),
  rows: z.int(),
  taken: z.int().describe('Items that were given to people.'),
  fails: z.int(),
  passes: z.int(),
  available: z.int(),
})

export const ReviewRound = z.object({
  object: z.literal('review.round'),
  id: z.string(),
  criterion_id: z.string(),
  challenger_id: z.string().nullable(),
  unit: z.enum(['request', 'trace']).describe('`trace`: complete runs are graded.'),
  status: z
    .enum(['preparing', 'open', 'closed', 'failed'])
    .describe('`preparing`: the judge gives the verdicts that form the strata.'),
  error: z.string().nullable(),
  progress: z.object({ done: z.int(), total: z.int() }).describe('Verdicts, while it is prepared.'),
  waiting_for: z
    .string()
    .nullable()
    .describe('Why verdicts wait at present, for example for credit; null when none waits.'),
  frame_rows: z.int().describe('Items of the frame, which has every item with a verdict.'),
  double_percent: z.int(),
  again_percent: z.int(),
  known_percent: z.int(),
  graded: z.int().describe('Items with at least one grade.'),
  unsure: z.int(),
  not_seen: z.int().describe('Runs that somebody graded without seeing the last step.'),
  graders: z.array(z.string()),
  shown_ms: z.int().describe('Time of people, at most three minutes for an item.'),
  cost_usd: z.number().describe('Cost of the verdicts.'),
  created_by: z.string(),
  created_at: z.iso.datetime(),
  closed_at: z.iso.datetime().nullable(),
})
export type ReviewRound = z.infer<typeof ReviewRound>

/** A round with what a page of it shows. */
export const ReviewRoundDetails = ReviewRound.extend({
  evidence: RoundEvidence.nullable().describe('Null until complete batches have a grade of every stratum.'),
  strata: z.array(StratumFigures).describe('After the last complete batch of ten of each person; for forecasts.'),
})
export type ReviewRoundDetails = z.infer<typeof ReviewRoundDetails>

export const OpenRound = z.strictObject({
  criterion_id: z.string(),
  challenger_id: z
    .string()
    .nullish()
    .describe(
      'Another judge, best with a model of another family. Its verdicts show where the first one may be wrong.',
    ),
  days: z.int().min(1).max(90).default(30).describe('Exchanges of so many days, or runs with a step in them.'),
  filters: SampleFilters.omit({ start: true, end: true }).default({}),
  frame_rows: z.int().min(10).max(10_000).default(2_000).describe('Of runs at most 2,000.'),
  double_percent: percent(100).default(15),
  again_percent: percent(50).default(5),
  known_percent: percent(50).default(12),
  max_cost_usd: maxCostUsd.nullish().describe('Verdicts beyond it are not bought, and then the round fails.'),
  dry_run: z.boolean().default(false),
})
export type OpenRound = z.infer<typeof OpenRound>

export const RoundEstimate = z.object({
  object: z.literal('review.round_estimate'),
  matched: z.int(),
  frame_rows: z.int(),
  verdicts: z.int().describe('Verdicts to buy.'),
  judge_cost_usd: z.number(),
  challenger_cost_usd: z.number(),
})
export type RoundEstimate = z.infer<typeof RoundEstimate>

const service = 'judging'
const audience = 'session'
export const roundParams = z.strictObject({ id: z.string() })

export const openRound = endpoint({
  method: 'post',
  path: '/session/review/rounds',
  summary: 'Open a round of review.',
  description:
    'Draws exchanges once, or complete runs for a judge of runs, buys one verdict of the judge on each, and forms strata. People grade from these. A dry run is answered with the price, and with 200.',
  service,
  audience,
  permission: 'owner_admin',
  body: OpenRound,
  reply: z.union([ReviewRound, RoundEstimate]),
  status: 201,
  requestHeaders: ['Idempotency-Key'],
  errors: [
    'not_found',
    'unsupported_unit',
    'conflict',
    'idempotency_conflict',
    'model_not_found',
    'unknown_provider',
    'logging_disabled',
  ],
})

export const listRounds = endpoint({
  method: 'get',
  path: '/session/review/rounds',
  summary: 'List rounds of review.',
  description: 'Newest first.',
  service,
  audience,
  permission: 'any',
  query: z.strictObject({ criterion_id: z.string().optional(), limit: pageLimit, offset: pageOffset }),
  reply: pageOf(ReviewRound),
  errors: ['not_found'],
})

export const getRound = endpoint({
  method: 'get',
  path: '/session/review/rounds/:id',
  summary: 'Read a round of review.',
  description: 'Its evidence and strata move when a batch is complete, not after each grade.',
  service,
  audience,
  permission: 'any',
  params: roundParams,
  reply: ReviewRoundDetails,
  errors: ['not_found'],
})

export const closeRound = endpoint({
  method: 'post',
  path: '/session/review/rounds/:id/close',
  summary: 'Close a round of review.',
  description: 'No further items are given out. Grades of items that people hold still count.',
  service,
  audience,
  permission: 'owner_admin',
  params: roundParams,
  reply: ReviewRound,
  errors: ['not_found', 'conflict'],
})
