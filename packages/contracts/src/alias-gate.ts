import { z } from 'zod'
import { aliasParams, GateState } from './aliases.ts'
import { Trust } from './criteria.ts'
import { endpoint } from './endpoint.ts'

const count = z.int().min(0)
const rate = z.number().min(0).max(1)
const interval = z.tuple([z.number(), z.number()])

/** What is known of one arm. */
export const GateArm = z.object({
  model: z.string(),
  assigned: count.describe('Requests that fell to it, answers from the cache among them.'),
  served: count.describe('Requests that its model was asked.'),
  errors: count.describe('Of those, what failed or what another model answered in its place.'),
  scored: count.describe('Answers that the judge has looked at.'),
  fails: count,
  open: count.describe('Answers that were chosen and wait for the judge.'),
  unjudged: count.describe('Answers that were chosen and of which there is no verdict, such as too large ones.'),
  mixed: count.describe('Answers that were left out, since an earlier turn may be of the other arm.'),
  graded: count.describe('Of those scored, what people have graded too.'),
  raw_pass_rate: rate.nullable().describe('As the judge says it.'),
  pass_rate: rate.nullable().describe('Corrected for what the judge is known to get wrong.'),
  ci: interval.nullable().describe('Wilson interval of `raw_pass_rate`: right for one look.'),
  cs: interval.nullable().describe('Confidence sequence of `raw_pass_rate`: right at every look.'),
  error_rate: rate.nullable().describe('Errors of all that ended: what is under way is neither.'),
  p95_latency_ms: z.number().nullable(),
  avg_cost_usd: z.number().nullable(),
})
export type GateArm = z.output<typeof GateArm>

/** One figure that callers would notice. */
export const GuardCheck = z.object({
  name: z.enum(['error_rate_increase', 'latency_ratio', 'cost_ratio']),
  limit: z.number(),
  estimate: z.number().nullable(),
  cs: z
    .tuple([z.number(), z.number().nullable()])
    .nullable()
    .describe('The guard is breached once all of it lies above the limit; it may have no upper end yet.'),
  breached: z.boolean(),
})
export type GuardCheck = z.output<typeof GuardCheck>

/** The mirror beside the arms; its answers were never served. */
export const GateShadow = z.object({
  model: z.string(),
  mirrored: count,
  errors: count,
  scored: count,
  fails: count,
  raw_pass_rate: rate.nullable(),
  pass_rate: rate.nullable(),
  ci: interval.nullable(),
  avg_latency_ms: z.number().nullable(),
  avg_cost_usd: z.number().nullable(),
})
export type GateShadow = z.output<typeof GateShadow>

export const AliasGate = z.object({
  object: z.literal('alias.gate'),
  alias: z.string(),
  state: GateState.describe('`collecting` also where there is no split, or no gate.'),
  reason: z.string(),
  mode: z.enum(['recommend', 'auto']).nullable(),
  criterion_id: z.string().nullable(),
  trust: Trust.nullable().describe('Of the judge, at the last look.'),
  youden: z.number().nullable().describe('TPR + TNR − 1 of the judge.'),
  arms: z.object({ target: GateArm, canary: GateArm.nullable() }),
  shadow: GateShadow.nullable(),
  difference: z
    .object({ estimate: z.number(), ci: interval, cs: interval })
    .nullable()
    .describe('Pass rate of the canary minus that of the target, corrected where the judge is measured.'),
  margin: z.number().describe('The gate acts once `difference.cs` lies on one side of minus this.'),
  srm_p: z.number().nullable().describe('Chance of arms as uneven as these; below 0.0001 nothing is decided.'),
  guard: z.array(GuardCheck),
  looks: count,
  started_at: z.iso.datetime().nullable().describe('When the present split began.'),
  ends_at: z.iso.datetime().nullable(),
  looked_at: z.iso.datetime().nullable(),
  decided_at: z.iso.datetime().nullable(),
})
export type AliasGate = z.output<typeof AliasGate>

export const getAliasGate = endpoint({
  method: 'get',
  path: '/v1/aliases/:name/gate',
  summary: "Read a canary's verdict.",
  description: 'Both arms, the difference between them, and what the gate makes of it.',
  service: 'alias',
  params: aliasParams,
  reply: AliasGate,
  errors: ['not_found', 'unknown_parameter'],
})
