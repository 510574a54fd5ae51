import { z } from 'zod'
import { GateState, gateModes } from './aliases.ts'
import { Trust, Verdict } from './criteria.ts'
import { endpoint } from './endpoint.ts'
import { Interval } from './interval.ts'

const count = z.int().min(0)

/** Units of an arm with some property. */
const Share = z.object({ having: count, of: count })

/** Sums over graded or skipped units of an arm with one verdict; the weight of a unit is 1 / the probability of its draw. */
const GradeSums = z.object({
  verdict: Verdict,
  skipped: z.boolean().describe('Offered to people, who graded later ones and not these.'),
  answers: count,
  weights: z.number().min(0),
  squares: z.number().min(0),
  fail_weights: z.number().min(0),
})

/** What a service has counted on one arm of a split of its own. */
export const WeighedArm = z.object({
  assigned: count.describe('Units that the split gave to the arm.'),
  scored: count,
  fails: count,
  open: count,
  unjudged: count,
  left_out: count.describe(
    'Left out by a rule that the arm may influence. They count as failed when it is to be promoted.',
  ),
  graded: count,
  grades: z.array(GradeSums).max(4),
  latencies: z.record(z.string().regex(/^\d{1,4}$/), count).describe('Units by latency bucket.'),
  cost_usd: z.number().min(0),
  cost_usd_squared: z.number().min(0),
  costed: count.describe('Units whose costs were added up.'),
  failures: z
    .record(z.string().max(100), Share)
    .describe('Shares by the names of the limits in `guard.max_increase` that they are compared under.'),
})
export type WeighedArm = z.output<typeof WeighedArm>

export const SplitGuard = z.strictObject({
  max_increase: z.record(z.string().max(100), z.number().min(0).max(1)).default({}),
  max_latency_ratio: z.number().gt(0).max(1_000).nullable().default(null),
  max_cost_ratio: z.number().gt(0).max(1_000).nullable().default(null),
})
export type SplitGuard = z.output<typeof SplitGuard>

export const SplitGuardCheck = z.object({
  name: z.string(),
  limit: z.number(),
  estimate: z.number().nullable(),
  cs: z.tuple([z.number(), z.number().nullable()]).nullable(),
  breached: z.boolean(),
})
export type SplitGuardCheck = z.output<typeof SplitGuardCheck>

const Sequence = z.object({ estimate: z.number(), cs: Interval })

/** What a gate says about a split. */
export const WeighedSplit = z.object({
  state: GateState,
  reason: z.string(),
  action: z.enum(['promote', 'roll_back']).nullable().describe('What the gate may do by itself.'),
  instrument: z.int().min(1).nullable().describe('Of the judge; null when it does not exist any more.'),
  trust: Trust.nullable(),
  youden: z.number().nullable(),
  difference: Sequence.nullable(),
  graded_difference: Sequence.nullable(),
  srm_p: z.number().nullable(),
  guard: z.array(SplitGuardCheck),
})
export type WeighedSplit = z.output<typeof WeighedSplit>

const SplitToWeigh = z.strictObject({
  criterion_id: z.string(),
  mode: z.enum(gateModes),
  min_samples_per_arm: z.int().min(1),
  rollback_threshold: z.number().min(0).max(1),
  confidence: z.number().min(0.5).max(0.9999),
  window_hours: z.number().gt(0),
  guard: SplitGuard,
  canary_percent: z.number().min(0).max(100),
  elapsed_ms: z.number().min(0).describe('Since the split began.'),
  target: WeighedArm,
  canary: WeighedArm,
})
export type SplitToWeighBody = z.output<typeof SplitToWeigh>

export const weighSplit = endpoint({
  method: 'post',
  path: '/internal/alias/splits/weigh',
  summary: 'Let the gate of aliases decide about the split of another service.',
  description:
    'By the statistics and rules of a gate of runs: each unit is a complete run, such as a call, and belongs to one arm. Nothing is stored, so the same counts have the same answer.',
  service: 'alias',
  audience: 'internal',
  callers: ['voice'],
  body: SplitToWeigh,
  reply: WeighedSplit,
  errors: ['unsupported_unit', 'service_unavailable'],
})
