import { z } from 'zod'
import { aliasParams, GateState } from './aliases.ts'
import { Trust } from './criteria.ts'
import { endpoint } from './endpoint.ts'

const count = z.int().min(0)
const rate = z.number().min(0).max(1)
const interval = z.tuple([z.number(), z.number()])

/** The evidence about one arm. */
export const GateArm = z.object({
  model: z.string(),
  assigned: count.describe('Number of requests that were assigned to the arm, including answers from the cache.'),
  served: count.describe('Number of requests for which the model of the arm was called.'),
  errors: count.describe('Number of those that failed or that a fallback model answered.'),
  scored: count.describe('Number of answers with a verdict of the judge.'),
  fails: count,
  open: count.describe('Number of selected answers that wait for the judge.'),
  unjudged: count.describe(
    'Number of selected answers that will get no verdict, for example because they are too large.',
  ),
  mixed: count.describe(
    'Number of answers that are excluded because an earlier turn of theirs may come from the other arm.',
  ),
  graded: count.describe('Number of the scored answers that people have graded too.'),
  raw_pass_rate: rate.nullable().describe('The pass rate by the verdicts of the judge.'),
  pass_rate: rate.nullable().describe('The pass rate, corrected for the known errors of the judge.'),
  ci: interval.nullable().describe('Wilson interval of `raw_pass_rate`, valid for a single evaluation.'),
  cs: interval.nullable().describe('Confidence sequence of `raw_pass_rate`, valid at every evaluation.'),
  error_rate: rate.nullable().describe('Share of errors among the requests that have ended.'),
  p95_latency_ms: z.number().nullable(),
  avg_cost_usd: z.number().nullable(),
})
export type GateArm = z.output<typeof GateArm>

/** One guard figure, such as errors, latency or cost. */
export const GuardCheck = z.object({
  name: z.enum(['error_rate_increase', 'latency_ratio', 'cost_ratio']),
  limit: z.number(),
  estimate: z.number().nullable(),
  cs: z
    .tuple([z.number(), z.number().nullable()])
    .nullable()
    .describe('The guard is breached when the whole interval lies above the limit. It may have no upper bound yet.'),
  breached: z.boolean(),
})
export type GuardCheck = z.output<typeof GuardCheck>

/** The shadow model beside the arms; its answers never reach a client. */
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
  state: GateState.describe('`collecting` also when there is no split or no gate.'),
  reason: z.string(),
  mode: z.enum(['recommend', 'auto']).nullable(),
  criterion_id: z.string().nullable(),
  trust: Trust.nullable().describe('Trust of the judge at the last evaluation.'),
  youden: z.number().nullable().describe('TPR + TNR − 1 of the judge.'),
  arms: z.object({ target: GateArm, canary: GateArm.nullable() }),
  shadow: GateShadow.nullable(),
  difference: z
    .object({ estimate: z.number(), ci: interval, cs: interval })
    .nullable()
    .describe('Pass rate of the canary minus that of the target, corrected if the judge is calibrated.'),
  margin: z.number().describe('The gate acts when `difference.cs` lies entirely on one side of minus this value.'),
  srm_p: z
    .number()
    .nullable()
    .describe('p-value of the sample ratio of the arms. Below 0.0001 the gate decides nothing.'),
  guard: z.array(GuardCheck),
  looks: count,
  started_at: z.iso.datetime().nullable().describe('Start of the current split.'),
  ends_at: z.iso.datetime().nullable(),
  looked_at: z.iso.datetime().nullable(),
  decided_at: z.iso.datetime().nullable(),
})
export type AliasGate = z.output<typeof AliasGate>

export const getAliasGate = endpoint({
  method: 'get',
  path: '/v1/aliases/:name/gate',
  summary: 'Read the gate of an alias.',
  description: 'Returns both arms, the difference between them, and the decision of the gate.',
  service: 'alias',
  permission: 'any',
  params: aliasParams,
  reply: AliasGate,
  errors: ['not_found', 'unknown_parameter'],
})
