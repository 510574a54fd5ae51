import { z } from 'zod'
import { kibibyte } from './byte-sizes.ts'
import { endpoint, Nothing } from './endpoint.ts'
import { FamilyRules } from './family-rules.ts'
import { GatePlan } from './gate-plan.ts'
import { pageLimit, pageOf, pageOffset } from './page.ts'
import { storable } from './storable.ts'

/** An alias is sent in a header, so its name may only have characters that are valid there. */
export const aliasName = z
  .string()
  .regex(/^[A-Za-z0-9._-]{3,64}$/, 'This must be 3 to 64 letters, digits, dots, dashes and underscores.')

const model = storable(z.string().min(1).max(200))
const text = storable(z.string())
const percent = z.int().min(0).max(100)

/** The limits of a canary for errors, latency and cost. A figure with null is not checked. */
export const GateGuard = z.strictObject({
  max_error_rate_increase: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .default(null)
    .describe('Maximum difference between the error rates of the canary and of the target.'),
  max_latency_ratio: z
    .number()
    .gt(0)
    .max(1_000)
    .nullable()
    .default(null)
    .describe('Maximum ratio of the p95 latency of the canary to that of the target.'),
  max_cost_ratio: z
    .number()
    .gt(0)
    .max(1_000)
    .nullable()
    .default(null)
    .describe('Maximum ratio of the average cost of the canary to that of the target.'),
})
export type GateGuard = z.output<typeof GateGuard>

export const gateModes = ['recommend', 'auto'] as const
export const stickyKinds = ['request', 'trace'] as const
export const gateStates = [
  'collecting',
  'healthy',
  'promote_ready',
  'promoted',
  'rollback_recommended',
  'rolled_back',
  'inconclusive',
  'starved',
  'expired',
] as const
export const GateState = z.enum(gateStates)
export type GateState = z.infer<typeof GateState>

/**
 * The writable fields of an alias. PUT replaces the whole alias, so a field that is left out gets its default; only
 * `family_rules` stay.
 */
const settings = {
  name: aliasName,
  target_model: model,
  description: text.max(2_000).nullable().default(null),
  canary_model: model.nullable().default(null),
  canary_percent: percent
    .default(0)
    .describe('Percentage of requests that `canary_model` answers; 100 sends it all of them.'),
  gate_criterion_id: storable(z.string().min(1).max(200))
    .nullable()
    .default(null)
    .describe('The judge that scores both arms.'),
  gate_mode: z
    .enum(gateModes)
    .nullable()
    .default(null)
    .describe('`recommend` only reports a decision, `auto` applies it; null for no gate.'),
  gate_min_samples_per_arm: z
    .int()
    .min(50)
    .max(1_000_000)
    .default(100)
    .describe(
      'Number of scored answers that a canary needs before it can be promoted. A collapse is reported earlier.',
    ),
  gate_rollback_threshold: z
    .number()
    .min(0)
    .max(1)
    .default(0.05)
    .describe('Largest tolerated drop of the pass rate, canary minus target, corrected for the judge.'),
  gate_window_hours: z
    .number()
    .min(0.01)
    .max(2_160)
    .default(72)
    .describe('Maximum hours for the gate to reach a decision.'),
  gate_confidence: z.number().min(0.5).max(0.9999).default(0.95),
  gate_guard: GateGuard.nullable().default(null),
  sticky_by: z
    .enum(stickyKinds)
    .default('request')
    .describe('With `trace` all requests of one trace are answered by the same arm.'),
  shadow_model: model
    .nullable()
    .default(null)
    .describe('A model that also answers a share of the requests, but never to the client.'),
  shadow_percent: percent.default(0),
  require_evidence: z
    .boolean()
    .nullable()
    .default(null)
    .describe(
      'Requires evidence for a new target when true; null for the policy of the workspace. Only an owner may set it to false, whatever the policy is, or change it so that evidence is no longer required.',
    ),
  family_rules: FamilyRules.default([]).describe(
    'Prompt families that one model answers outside of the split. A gate adds a rule when it rolls back one family.',
  ),
}

export const PutAlias = z.strictObject({
  ...settings,
  family_rules: FamilyRules.optional().describe(
    'Prompt families that one model answers outside of the split, such as families that never get the canary. The rules of before stay when this is left out, because gates write them too; `[]` removes them. The aliases of a workspace may have 10,000 rules together.',
  ),
  force: z.boolean().default(false).describe('Lets an owner change the target without evidence. Requires a `reason`.'),
  reason: text.trim().min(1).max(2_000).nullable().default(null).describe('The reason is stored in the audit.'),
})
export type PutAlias = z.output<typeof PutAlias>

/** The settings of an alias, as the audit stores them. */
export const AliasSettings = z.object(settings)
export type AliasSettings = z.output<typeof AliasSettings>

export const Alias = z.object({
  object: z.literal('alias'),
  ...settings,
  gate_state: GateState.nullable().describe('Null without a gate.'),
  gate_plan: GatePlan.nullable()
    .default(null)
    .describe('Only in the reply to `PUT`, when a gate watches the split: what it needs and how long that takes.'),
  gate_plan_missing: z
    .enum(['counts_unavailable'])
    .nullable()
    .default(null)
    .describe(
      'Why the reply to `PUT` has no plan although a gate watches the split. The change was made; read the plan of the gate later.',
    ),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  updated_by: z.string().describe('Id of a user, or `gate`.'),
  version: z.int().describe('Version for the header `If-Match`.'),
})
export type Alias = z.output<typeof Alias>

export const aliasEventKinds = [
  'created',
  'repoint',
  'canary_set',
  'rollback',
  'update',
  'gate_promote',
  'gate_rollback',
  'gate_family_rollback',
  'gate_starved',
  'gate_ended',
  'gate_reset',
  'delete',
] as const
export const AliasEventKind = z.enum(aliasEventKinds)
export type AliasEventKind = z.infer<typeof AliasEventKind>

export const AliasEvent = z.object({
  object: z.literal('alias.event'),
  id: z.string(),
  alias: z.string(),
  kind: AliasEventKind,
  actor: z.object({
    type: z.enum(['user', 'gate']),
    user_id: z.string().nullable(),
    name: z.string().nullable().describe('Name of the user; null for a gate, and for a user who left the workspace.'),
    key_id: z.string().nullable(),
  }),
  before: AliasSettings.nullable().describe('Null for a new alias.'),
  after: AliasSettings.nullable().describe('Null for a deleted alias.'),
  evidence: z.record(z.string(), z.unknown()).nullable().describe('The evidence of the decision.'),
  reason: z.string().nullable(),
  request_id: z.string().nullable(),
  created_at: z.iso.datetime(),
})
export type AliasEvent = z.output<typeof AliasEvent>

const service = 'alias'
/** Any text is accepted: a text that is not a valid name is answered with 404. */
export const aliasParams = z.strictObject({ name: z.string() })

export const putAlias = endpoint({
  method: 'put',
  path: '/v1/aliases',
  summary: 'Create or replace an alias.',
  description:
    'Replaces the whole alias: a field that is left out gets its default, except `family_rules`. Requests follow the new settings within two seconds. With `If-Match: <version>` only that version is replaced; with `If-None-Match: *` an existing alias is not replaced. If the evidence policy requires evidence for a new target and there is none, the answer is 412 with `details.missing`: `precondition_failed`, or `evidence_exhausted` when an eval would be a proof if earlier evals had not used its prompts (`details.prompts_needed` fresh ones are needed). While the evals, or a judge on which the change would rely, cannot be read, it is 503, and nothing is changed. A field that is left out counts as its default here too: leaving out `require_evidence` on an alias that has `true` is a change that needs an owner, unless the workspace enforces the policy. An owner may send `force` with a `reason`, which is audited; in the dashboard this requires a fresh sign-in.',
  service,
  callers: ['training'],
  permission: 'owner_admin',
  maxBodyBytes: 64 * kibibyte,
  body: PutAlias,
  reply: Alias,
  requestHeaders: ['If-Match', 'If-None-Match'],
  errors: [
    'unknown_parameter',
    'unknown_model',
    'unknown_provider',
    'alias_target_dedicated',
    'alias_shadows_model',
    'unsupported_unit',
    'not_found',
    'conflict',
    'precondition_failed',
    'evidence_exhausted',
    'version_conflict',
    'fresh_sign_in_required',
  ],
})

export const listAliases = endpoint({
  method: 'get',
  path: '/v1/aliases',
  summary: 'List aliases.',
  description: 'Sorted by name.',
  service,
  permission: 'any',
  query: z.strictObject({ limit: pageLimit, offset: pageOffset }),
  reply: pageOf(Alias),
  errors: ['unknown_parameter'],
})

export const getAlias = endpoint({
  method: 'get',
  path: '/v1/aliases/:name',
  summary: 'Read an alias.',
  description: 'Returns the current settings.',
  service,
  callers: ['training'],
  permission: 'any',
  params: aliasParams,
  reply: Alias,
  errors: ['not_found', 'unknown_parameter'],
})

export const deleteAlias = endpoint({
  method: 'delete',
  path: '/v1/aliases/:name',
  summary: 'Delete an alias.',
  description: 'Later requests that name it are answered with `model_not_found`. Its audit is kept.',
  service,
  permission: 'owner_admin',
  params: aliasParams,
  body: Nothing,
  reply: z.object({ name: z.string(), deleted: z.literal(true) }),
  requestHeaders: ['If-Match'],
  errors: ['not_found', 'version_conflict', 'unknown_parameter'],
})

export const rollbackAlias = endpoint({
  method: 'post',
  path: '/v1/aliases/:name/rollback',
  summary: 'Roll back a canary.',
  description: 'Sets `canary_percent` to 0, so that all requests go to `target_model`. Requires no evidence.',
  service,
  permission: 'owner_admin',
  maxBodyBytes: 64 * kibibyte,
  params: aliasParams,
  body: z.strictObject({ reason: PutAlias.shape.reason }),
  reply: Alias,
  requestHeaders: ['If-Match'],
  errors: ['not_found', 'version_conflict', 'unknown_parameter'],
})

export const listAliasEvents = endpoint({
  method: 'get',
  path: '/v1/aliases/:name/events',
  summary: 'Read the audit of an alias.',
  description: 'Newest first, also for a deleted alias.',
  service,
  permission: 'any',
  params: aliasParams,
  query: z.strictObject({ limit: pageLimit, offset: pageOffset }),
  reply: pageOf(AliasEvent),
  errors: ['not_found', 'unknown_parameter'],
})
