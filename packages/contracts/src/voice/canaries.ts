import { z } from 'zod'
import { GateState, gateModes } from '../aliases.ts'
import { Trust } from '../criteria.ts'
import { mountedEndpoint } from '../endpoint.ts'
import { SplitGuardCheck } from '../internal-split.ts'
import { Interval } from '../interval.ts'

const increase = z.number().min(0).max(1).nullable().default(null)
const ratio = z.number().gt(0).max(1_000).nullable().default(null)

/** Limits of what the canary may be worse by than the target. A limit holds when all of a confidence sequence lies above it. */
export const AgentGuard = z.strictObject({
  max_latency_ratio: ratio.describe(
    'Of the p95 over calls: what a caller waited for an answer, the median of the call.',
  ),
  max_cost_ratio: ratio.describe('Of the average cost of a call.'),
  max_hangup_increase: increase.describe('Of the share of calls that the caller ended within 15 seconds.'),
  max_tool_error_increase: increase.describe('Of the share of calls in which a tool failed.'),
})
export type AgentGuard = z.output<typeof AgentGuard>

/** The share of calls that ended before there was a talk is always guarded, with the threshold of the gate. */
const gate = {
  version: z.int().min(1).max(1_000_000).describe('The version that gets a share of the calls.'),
  percent: z.number().min(0).max(100).describe('Of new calls that name no version. 0 pauses the canary.'),
  gate_criterion_id: z.string().min(1).max(200).describe('A judge of whole calls: `unit: trace`.'),
  gate_mode: z.enum(gateModes).default('recommend').describe('`recommend` only reports a decision, `auto` applies it.'),
  gate_min_samples_per_arm: z.int().min(50).max(1_000_000).default(100),
  gate_rollback_threshold: z
    .number()
    .min(0)
    .max(1)
    .default(0.05)
    .describe('Largest tolerated drop of the pass rate, canary minus target.'),
  gate_confidence: z.number().min(0.5).max(0.9999).default(0.95),
  gate_window_hours: z.number().min(0.01).max(2_160).default(168),
  gate_guard: AgentGuard.prefault({}),
}

export const PutAgentCanary = z.strictObject(gate)
export type PutAgentCanary = z.output<typeof PutAgentCanary>

const count = z.int().min(0)

export const CanaryArm = z.object({
  version: z.int().min(1),
  calls: count.describe('That the split gave to the arm.'),
  short: count.describe('That ended before ten seconds of talk. They are not judged.'),
  scored: count,
  fails: count,
  open: count.describe('Under way, or waiting for the judge.'),
  unjudged: count.describe('That got no verdict.'),
  graded: count.describe('Scored calls that people graded too.'),
  pass_rate: z.number().min(0).max(1).nullable().describe('By the verdicts of the judge.'),
})
export type CanaryArm = z.output<typeof CanaryArm>

export const canaryStates = ['paused', ...GateState.options] as const

export const AgentCanary = z.object({
  object: z.literal('agent.canary'),
  agent_id: z.string(),
  ...gate,
  gate_guard: AgentGuard,
  target_version: z.int().min(1).describe('The version that was published when the split began.'),
  state: z.enum(canaryStates),
  reason: z.string(),
  arms: z.object({ target: CanaryArm, canary: CanaryArm }),
  trust: Trust.nullable().describe('Of the judge at the last evaluation.'),
  youden: z.number().nullable(),
  difference: z
    .object({ estimate: z.number(), cs: Interval })
    .nullable()
    .describe('Pass rate of the canary minus that of the target by the verdicts, corrected for the judge.'),
  graded_difference: z
    .object({ estimate: z.number(), cs: Interval })
    .nullable()
    .describe('The same by grades of drawn calls. A canary is promoted on it.'),
  srm_p: z.number().nullable().describe('p-value of the sizes of the arms. Below 0.0001 nothing is decided.'),
  guard: z.array(SplitGuardCheck),
  epoch: z.int().min(1).describe('Counts the splits of the agent. Each begins with no calls.'),
  looks: count,
  started_at: z.iso.datetime(),
  ends_at: z.iso.datetime(),
  looked_at: z.iso.datetime().nullable(),
  decided_at: z.iso.datetime().nullable(),
})
export type AgentCanary = z.infer<typeof AgentCanary>

const ofAgent = z.strictObject({ id: z.string().max(100) })

export const putAgentCanary = mountedEndpoint({
  method: 'put',
  path: '/v1/agents/:id/canary',
  summary: 'Give a share of the calls to another version.',
  description:
    'A gate compares both versions by a judge of whole calls. Any other setting than before begins a new split. Refused while the version is the published one, or the judge judges single answers.',
  permission: 'owner_admin',
  params: ofAgent,
  body: PutAgentCanary,
  reply: AgentCanary,
  errors: ['not_found', 'conflict', 'unsupported_unit', 'precondition_failed', 'service_unavailable'],
})

export const getAgentCanary = mountedEndpoint({
  method: 'get',
  path: '/v1/agents/:id/canary',
  summary: 'Read the canary of an agent.',
  description: 'The last one, also when it has ended.',
  permission: 'any',
  params: ofAgent,
  reply: AgentCanary,
  errors: ['not_found'],
})

export const deleteAgentCanary = mountedEndpoint({
  method: 'delete',
  path: '/v1/agents/:id/canary',
  summary: 'End the canary of an agent.',
  description: 'New calls get the published version. Calls under way keep theirs.',
  permission: 'owner_admin',
  params: ofAgent,
  reply: z.object({ object: z.literal('agent.canary'), agent_id: z.string(), deleted: z.literal(true) }),
  errors: ['not_found'],
})
