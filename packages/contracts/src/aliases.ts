import { z } from 'zod'
import { endpoint, Nothing } from './endpoint.ts'
import { pageFields, pageLimit, pageOffset } from './log-filters.ts'
import { storable } from './storable.ts'

/** A name stands in a header, so it has the characters of one and no others. */
export const aliasName = z
  .string()
  .regex(/^[A-Za-z0-9._-]{3,64}$/, 'This must be 3 to 64 letters, digits, dots, dashes and underscores.')

const model = storable(z.string().min(1).max(200))
/** Half a character is no text that JSON can carry into the database. */
const text = storable(z.string()).refine((words) => words.isWellFormed(), 'This must be well-formed Unicode.')
const percent = z.int().min(0).max(100)

/** What a canary may cost its callers beside quality; what is null is not watched. */
export const GateGuard = z.strictObject({
  max_error_rate_increase: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .default(null)
    .describe("How much larger the canary's share of failed requests may be."),
  max_latency_ratio: z
    .number()
    .gt(0)
    .max(1_000)
    .nullable()
    .default(null)
    .describe('p95 of the canary by that of the target.'),
  max_cost_ratio: z
    .number()
    .gt(0)
    .max(1_000)
    .nullable()
    .default(null)
    .describe('Average of the canary by that of the target.'),
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

/** What an alias is, as it is written; what is left out has its default, for PUT replaces the whole alias. */
const settings = {
  name: aliasName,
  target_model: model,
  description: text.max(2_000).nullable().default(null),
  canary_model: model.nullable().default(null),
  canary_percent: percent.default(0).describe('Share of requests that `canary_model` answers; 100 is a cutover.'),
  gate_criterion_id: storable(z.string().min(1).max(200))
    .nullable()
    .default(null)
    .describe('The judge that watches both arms.'),
  gate_mode: z.enum(gateModes).nullable().default(null).describe('`recommend` tells, `auto` acts; null for no gate.'),
  gate_min_samples_per_arm: z
    .int()
    .min(50)
    .max(1_000_000)
    .default(100)
    .describe('Scored answers before a canary counts as proven; a collapse is told earlier.'),
  gate_rollback_threshold: z
    .number()
    .min(0)
    .max(1)
    .default(0.05)
    .describe('Largest drop of the pass rate, canary minus target, corrected for the judge, that is tolerated.'),
  gate_window_hours: z.number().min(0.01).max(2_160).default(72).describe('How long a canary may take to be proven.'),
  gate_confidence: z.number().min(0.5).max(0.9999).default(0.95),
  gate_guard: GateGuard.nullable().default(null),
  sticky_by: z
    .enum(stickyKinds)
    .default('request')
    .describe('`trace`: all requests of a trace are answered by one arm.'),
  shadow_model: model.nullable().default(null).describe('Answers a share of the requests too, and is never served.'),
  shadow_percent: percent.default(0),
  require_evidence: z
    .boolean()
    .nullable()
    .default(null)
    .describe("Whether repoints must be proven; null for the workspace's own policy."),
}

export const PutAlias = z.strictObject({
  ...settings,
  force: z.boolean().default(false).describe('An owner repoints without evidence; needs a `reason`.'),
  reason: text.trim().min(1).max(2_000).nullable().default(null).describe('Kept in the audit.'),
})
export type PutAlias = z.output<typeof PutAlias>

/** The settings of an alias, as the audit keeps them. */
export const AliasSettings = z.object(settings)
export type AliasSettings = z.output<typeof AliasSettings>

export const Alias = z.object({
  object: z.literal('alias'),
  ...settings,
  gate_state: GateState.nullable().describe('Null without a gate.'),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  updated_by: z.string().describe('Id of a user, or `gate`.'),
  version: z.int().describe('For `If-Match`.'),
})
export type Alias = z.output<typeof Alias>

export const aliasEventKinds = [
  'repoint',
  'canary_set',
  'update',
  'gate_promote',
  'gate_rollback',
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
    key_id: z.string().nullable(),
  }),
  before: AliasSettings.nullable().describe('Null for a new alias.'),
  after: AliasSettings.nullable().describe('Null for one that was deleted.'),
  evidence: z.record(z.string(), z.unknown()).nullable().describe('What the change was decided on.'),
  reason: z.string().nullable(),
  request_id: z.string().nullable(),
  created_at: z.iso.datetime(),
})
export type AliasEvent = z.output<typeof AliasEvent>

const service = 'alias'
/** Whatever is no name is the name of no alias. */
export const aliasParams = z.strictObject({ name: z.string() })

export const putAlias = endpoint({
  method: 'put',
  path: '/v1/aliases',
  summary: 'Create an alias or replace it.',
  description:
    'The whole alias is replaced: what is left out has its default. Requests follow within two seconds. With `If-Match: <version>` only that version is replaced, with `If-None-Match: *` none is. Under the evidence policy an unproven repoint is refused with 412 and `details.missing`.',
  service,
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
    'version_conflict',
  ],
})

export const listAliases = endpoint({
  method: 'get',
  path: '/v1/aliases',
  summary: 'List aliases.',
  description: 'In order of their names.',
  service,
  query: z.strictObject({ limit: pageLimit, offset: pageOffset }),
  reply: z.object({ object: z.literal('list'), data: z.array(Alias), ...pageFields }),
  errors: ['unknown_parameter'],
})

export const getAlias = endpoint({
  method: 'get',
  path: '/v1/aliases/:name',
  summary: 'Read an alias.',
  description: 'As it is now.',
  service,
  params: aliasParams,
  reply: Alias,
  errors: ['not_found', 'unknown_parameter'],
})

export const deleteAlias = endpoint({
  method: 'delete',
  path: '/v1/aliases/:name',
  summary: 'Delete an alias.',
  description: 'Requests that name it are answered with `model_not_found` from then on. Its audit stays.',
  service,
  params: aliasParams,
  body: Nothing,
  reply: z.object({ name: z.string(), deleted: z.literal(true) }),
  requestHeaders: ['If-Match'],
  errors: ['not_found', 'version_conflict', 'unknown_parameter'],
})

export const rollbackAlias = endpoint({
  method: 'post',
  path: '/v1/aliases/:name/rollback',
  summary: 'Roll a canary back.',
  description: 'Sets `canary_percent` to 0: all requests go to `target_model`. Needs no evidence.',
  service,
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
  description: 'The newest first, also of an alias that was deleted.',
  service,
  params: aliasParams,
  query: z.strictObject({ limit: pageLimit, offset: pageOffset }),
  reply: z.object({ object: z.literal('list'), data: z.array(AliasEvent), ...pageFields }),
  errors: ['not_found', 'unknown_parameter'],
})
