import { z } from 'zod'
import { type AliasEventKind, aliasEventKinds } from '../aliases.ts'
import { recordedActions } from '../changes.ts'
import { Nothing } from '../endpoint.ts'
import { wholeNumber } from '../query-values.ts'
import { dashboardEndpoint } from './dashboard-endpoint.ts'
import { WorkspaceParams } from './values.ts'

/** What the dashboard itself records. */
export const ownAuditActions = [
  'setup.completed',
  'workspace.created',
  'settings.changed',
  'key.created',
  'key.changed',
  'key.revoked',
  'budget.set',
  'budget.removed',
  'provider_key.saved',
  'provider_key.removed',
  'member.changed',
  'member.removed',
  'member.left',
  'invitation.created',
  'invitation.withdrawn',
  'invitation.accepted',
  'user.changed',
  'user.reset_link_created',
  'user.password_changed',
  'user.passkey_added',
  'user.passkey_removed',
  'wallet.credit_requested',
  'wallet.correction_requested',
  'workspace.disabled',
  'workspace.enabled',
  'work.retried',
  'person.erasure_requested',
  'person.erasure_confirmed',
  'person.erasure_cancelled',
  'person.erased',
] as const
export type OwnAuditAction = (typeof ownAuditActions)[number]

const aliasActions = aliasEventKinds.map((kind): `alias.${AliasEventKind}` => `alias.${kind}`)

/** The same with what services record: changes by people, keys and gates, and payments that somebody began. */
export const AuditAction = z.enum([
  ...ownAuditActions,
  ...recordedActions,
  'judge.created',
  'judge.changed',
  'judge.deleted',
  ...aliasActions,
  'wallet.top_up_begun',
])
export type AuditAction = z.infer<typeof AuditAction>

export const AuditEvent = z.object({
  id: z.uuid(),
  at: z.iso.datetime(),
  action: AuditAction,
  actor: z
    .object({ id: z.uuid(), name: z.string(), email: z.string() })
    .nullable()
    .describe('Null for a gate of an alias, for an operator, and for somebody who does not exist any more.'),
  key_id: z.uuid().nullable().describe('The API key that did it in the name of the actor; null on pages.'),
  subject: z.string().describe('What was changed: an id, a name, an e-mail address or a provider.'),
  before: z.record(z.string(), z.unknown()).nullable(),
  after: z.record(z.string(), z.unknown()).nullable(),
  request_id: z.string().nullable(),
})
export type AuditEvent = z.infer<typeof AuditEvent>

const filters = {
  actor: z.uuid().optional(),
  action: AuditAction.optional(),
  subject: z.string().max(100).describe('Part of what was changed.').optional(),
}

export const listAudit = dashboardEndpoint({
  method: 'get',
  path: '/api/w/:slug/audit',
  summary:
    'What people, keys and gates changed in the workspace, newest first. `after` is the id of the last event of the page before.',
  permission: 'owner',
  params: WorkspaceParams,
  query: z.strictObject({
    ...filters,
    after: z.uuid().optional(),
    limit: wholeNumber({ min: 1, max: 200 }).default(50),
  }),
  reply: z.object({ object: z.literal('list'), data: z.array(AuditEvent), has_more: z.boolean() }),
})

export const downloadSealedAudit = dashboardEndpoint({
  method: 'get',
  path: '/api/w/:slug/audit.jsonl',
  summary:
    'The whole log, one entry a line, oldest first, each sealed with the hash of the one before. `ratchet admin audit-log verify` checks it.',
  permission: 'owner',
  params: WorkspaceParams,
  isCsv: true,
  reply: Nothing,
})

/** Rows of one file. */
export const maxAuditCsvRows = 10_000

export const downloadAudit = dashboardEndpoint({
  method: 'get',
  path: '/api/w/:slug/audit.csv',
  summary: 'The same as a table, with `before` and `after` as JSON: the newest 10,000 that match.',
  permission: 'owner',
  params: WorkspaceParams,
  query: z.strictObject(filters),
  isCsv: true,
  reply: Nothing,
})
