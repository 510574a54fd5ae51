import { z } from 'zod'
import { GuardCheck } from './alias-gate.ts'
import { AliasEvent, AliasEventKind, aliasParams, GateState } from './aliases.ts'
import { endpoint } from './endpoint.ts'
import { pageLimit, pageOf, pageOffset } from './page.ts'
import { wholeNumber } from './query-values.ts'

const count = z.int().min(0)
const Difference = z.object({ estimate: z.number(), cs: z.tuple([z.number(), z.number()]) }).nullable()

/** What a gate found at one evaluation. */
export const GateLook = z.object({
  epoch: z.int().describe('Number of the split: a change of the split begins a new one, and counts from zero.'),
  look: z.int().describe('Number of the evaluation in its split.'),
  at: z.iso.datetime(),
  state: GateState,
  scored: z.object({ target: count, canary: count }),
  difference: Difference.describe('Canary minus target by verdicts, with the confidence sequence of that moment.'),
  graded_difference: Difference,
  margin: z.number(),
  guard: z.array(GuardCheck.pick({ name: true, limit: true, estimate: true, cs: true, breached: true })),
})
export type GateLook = z.output<typeof GateLook>

export const GateEpoch = z.object({
  epoch: z.int(),
  looks: count.describe('Number of stored evaluations.'),
  first_at: z.iso.datetime(),
  last_at: z.iso.datetime(),
})
export type GateEpoch = z.output<typeof GateEpoch>

export const listGateLooks = endpoint({
  method: 'get',
  path: '/session/aliases/:name/looks',
  summary: 'Read the evaluations of a gate.',
  description:
    'At most 300 evaluations, the oldest first: the first and the last of a split, and between them ever fewer, because late ones differ little. Without `epoch` those of the newest splits.',
  service: 'alias',
  audience: 'session',
  permission: 'any',
  params: aliasParams,
  query: z.strictObject({ epoch: wholeNumber({ min: 1, max: 2_147_483_647 }).optional() }),
  reply: z.object({
    object: z.literal('alias.looks'),
    alias: z.string(),
    epochs: z.array(GateEpoch).describe('The newest splits with evaluations, the newest first.'),
    data: z.array(GateLook),
  }),
  errors: ['not_found', 'unknown_parameter'],
})

export const listAliasAudit = endpoint({
  method: 'get',
  path: '/session/aliases/audit',
  summary: 'List changes of all aliases.',
  description: 'Newest first, by people and by gates. Also those of aliases that were deleted.',
  service: 'alias',
  audience: 'session',
  permission: 'owner_admin',
  query: z.strictObject({ kind: AliasEventKind.optional(), limit: pageLimit, offset: pageOffset }),
  reply: pageOf(AliasEvent),
  errors: ['unknown_parameter'],
})
