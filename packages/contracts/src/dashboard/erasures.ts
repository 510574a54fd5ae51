import { z } from 'zod'
import { Nothing } from '../endpoint.ts'
import { erasingServices } from '../erasure-passes.ts'
import { storable } from '../storable.ts'
import { dashboardEndpoint } from './dashboard-endpoint.ts'
import { Done, listReplyOf, WorkspaceItemParams, WorkspaceParams } from './values.ts'

/** As the gateway cuts names of end users. */
export const EndUserName = storable(z.string().min(1).max(128))

export const erasureStates = ['finding', 'found', 'erasing', 'done', 'cancelled'] as const

const Count = z.object({
  service: z.enum(erasingServices),
  kind: z.string().describe('Such as `exchanges` or `grade_notes`.'),
  count: z.int().min(1),
})
export type ErasureCount = z.infer<typeof Count>

/** What one service has found or erased, numbers by kind, as it is stored. */
export interface ErasureNumbers {
  readonly service: string
  readonly found: unknown
  readonly erased: unknown
}

/** The numbers of all services. */
export function erasureCounts(parts: readonly ErasureNumbers[], which: 'found' | 'erased'): ErasureCount[] {
  return parts.flatMap(({ service, [which]: counts }) =>
    Object.entries(counts as Record<string, number>).map(([kind, count]) => ({
      service: service as ErasureCount['service'],
      kind,
      count,
    })),
  )
}

export const ErasureReceipt = z.object({
  version: z.literal(1),
  id: z.uuid(),
  workspace_id: z.uuid(),
  kind: z.literal('end_user'),
  person_sha256: z
    .string()
    .describe(
      'SHA-256 of the id of the erasure, a space and the name: who knows the name can check that it was theirs.',
    ),
  requested_by: z.uuid().nullable().describe('Null for the operator of the installation.'),
  requested_at: z.iso.datetime(),
  confirmed_by: z.uuid().nullable(),
  confirmed_at: z.iso.datetime(),
  ended_at: z.iso.datetime(),
  erased: z.array(Count),
  kept: z.array(z.object({ kind: z.string(), count: z.int().nullable(), why: z.string() })),
  model_versions: z
    .array(z.string())
    .describe('Versions that were trained with examples of the person. A trained model cannot forget them.'),
})
export type ErasureReceipt = z.infer<typeof ErasureReceipt>

export const PersonErasure = z.object({
  id: z.uuid(),
  kind: z.literal('end_user'),
  person: z.string().nullable().describe('Null when it has ended.'),
  state: z.enum(erasureStates),
  requested_by: z.uuid().nullable(),
  requested_at: z.iso.datetime(),
  confirmed_at: z.iso.datetime().nullable(),
  ended_at: z.iso.datetime().nullable(),
  progress: z.object({ done: z.int(), of: z.int() }).describe('Rounds of work of all services.'),
  waits: z.array(z.object({ service: z.enum(erasingServices), reason: z.string() })),
  found: z.array(Count),
  erased: z.array(Count),
  model_versions: z.array(z.string()),
  receipt: z.string().nullable().describe('JSON text, to the byte as it was hashed.'),
  receipt_sha256: z.string().nullable(),
})
export type PersonErasure = z.infer<typeof PersonErasure>

/** Erasures of a workspace that are listed. */
export const maxListedErasures = 100

export const listPersonErasures = dashboardEndpoint({
  method: 'get',
  path: '/api/w/:slug/erasures',
  summary: 'List the erasures of end users with their receipts: the newest 100.',
  permission: 'owner_admin',
  params: WorkspaceParams,
  reply: listReplyOf(PersonErasure),
})

export const readPersonErasure = dashboardEndpoint({
  method: 'get',
  path: '/api/w/:slug/erasures/:id',
  summary: 'Read an erasure of an end user: its progress, its numbers and its receipt.',
  permission: 'owner_admin',
  params: WorkspaceItemParams,
  reply: PersonErasure,
  errors: ['not_found'],
})

export const requestPersonErasure = dashboardEndpoint({
  method: 'post',
  path: '/api/w/:slug/erasures',
  summary: 'Count what belongs to an end user of an application. Nothing is changed until the erasure is confirmed.',
  permission: 'owner_admin',
  needsFreshSignIn: true,
  maxBodyBytes: 4_096,
  status: 201,
  params: WorkspaceParams,
  body: z.strictObject({ person: EndUserName.describe('As requests name the end user.') }),
  reply: PersonErasure,
  errors: ['conflict'],
})

export const confirmPersonErasure = dashboardEndpoint({
  method: 'post',
  path: '/api/w/:slug/erasures/:id/confirm',
  summary: 'Erase what was found of an end user, and what arrived since. It cannot be undone.',
  permission: 'owner_admin',
  needsFreshSignIn: true,
  maxBodyBytes: 4_096,
  params: WorkspaceItemParams,
  body: z.strictObject({ person: EndUserName.describe('The name again.') }),
  reply: PersonErasure,
  errors: ['not_found', 'conflict'],
})

export const cancelPersonErasure = dashboardEndpoint({
  method: 'delete',
  path: '/api/w/:slug/erasures/:id',
  summary: 'Cancel an erasure that was not confirmed.',
  permission: 'owner_admin',
  needsFreshSignIn: true,
  params: WorkspaceItemParams,
  reply: Done,
  errors: ['not_found', 'conflict'],
})

export const downloadErasureReceipt = dashboardEndpoint({
  method: 'get',
  path: '/api/w/:slug/erasures/:id/receipt.json',
  summary: 'The receipt of an erasure that has ended, to the byte as it was hashed.',
  permission: 'owner_admin',
  params: WorkspaceItemParams,
  isCsv: true,
  reply: Nothing,
  errors: ['not_found'],
})
