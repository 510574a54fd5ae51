import { randomUUID } from 'node:crypto'
import type { DashboardEndpoint } from '@ratchet/contracts/dashboard/dashboard-endpoint'
import { createInvitation } from '@ratchet/contracts/dashboard/members'
import { operationName } from '@ratchet/contracts/endpoint'
import type { Pool } from '@ratchet/db/connect-pool'
import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { z } from 'zod'
import type { RunningFleet } from '../shared-fleet/shared-fleet.ts'
import { password, sendFromPage } from '../signed-in.ts'
import type { TestPerson } from './sign-in-people.ts'

/** Kinds of objects that endpoints of the dashboard itself name. */
type OwnKind = 'budget' | 'erasure' | 'key' | 'user' | 'invitation' | 'session' | 'passkey' | 'event'
export type OwnThings = Readonly<Record<OwnKind, string>>

/** A part of a request to the dashboard that names an object of a workspace or person. */
export interface OwnReference {
  readonly endpoint: DashboardEndpoint
  readonly where: 'params' | 'query'
  readonly field: string
  readonly kind: OwnKind
}

/** The kinds of ids, by the collection in the path and the field; null for those that name nothing of a workspace. */
const kinds: Readonly<Record<string, OwnKind | null>> = {
  'budgets id': 'budget',
  'erasures id': 'erasure',
  'keys id': 'key',
  'members user_id': 'user',
  'invitations id': 'invitation',
  'sessions id': 'session',
  'passkeys id': 'passkey',
  'audit actor': 'user',
  'audit after': 'event',
  'audit.csv actor': 'user',
  // Operators administer every user. A provider is one of the catalog.
  'users id': null,
  'provider_keys provider': null,
}

interface Shape {
  readonly properties?: Readonly<Record<string, { readonly format?: string }>>
}

/** @throws Error for an id that is not listed here, so that none is forgotten */
export function ownReferencesOf(endpoint: DashboardEndpoint): readonly OwnReference[] {
  const { params, query } = endpoint
  return [
    ...Object.keys(fieldsOf(params))
      .filter((field) => field !== 'slug')
      .map((field) => ({ where: 'params' as const, field })),
    ...Object.entries(fieldsOf(query))
      .filter(([field, { format }]) => format === 'uuid' || /(^|_)ids?$/.test(field))
      .map(([field]) => ({ where: 'query' as const, field })),
  ].flatMap(({ where, field }) => {
    const kind = kinds[`${collectionOf(endpoint)} ${field}`]
    if (kind === undefined) throw new Error(`${operationName(endpoint)}: what is \`${field}\` the id of?`)
    return kind === null ? [] : [{ endpoint, where, field, kind }]
  })
}

function fieldsOf(schema: z.ZodType) {
  return (z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Shape).properties ?? {}
}

/** `keys` of `/api/w/:slug/keys/:id/revoke`. */
function collectionOf({ path }: DashboardEndpoint): string {
  const words = path.replace('/api/w/:slug/', '/api/').split('/')
  return (words[2] === 'admin' ? words[3] : words[2]) ?? ''
}

const someone = { email: 'stranger@example.com', name: 'Ann', password }
const invented = { token: 'x'.repeat(43) }

/**
 * A body with which each endpoint would do its work. Empty for the others.
 *
 * @throws Error for an endpoint whose body is not listed and must not be empty
 */
export function validBodyOf(endpoint: DashboardEndpoint): unknown {
  const body = bodies[operationName(endpoint)] ?? {}
  const parsed = endpoint.body.safeParse(body)
  if (!parsed.success) throw new Error(`${operationName(endpoint)}: no valid body is listed: ${parsed.error.message}`)
  return body
}

const bodies: Readonly<Record<string, unknown>> = {
  'POST /api/setup': { ...invented, ...someone, workspace: { slug: 'stolen', name: 'Stolen' } },
  'POST /api/auth/sign-in/email': { email: someone.email, password },
  'POST /api/auth/sign-in/social': { provider: 'oidc' },
  'POST /api/auth/passkey/verify-authentication': { response: {} },
  'POST /api/auth/change-password': { current_password: password, new_password: 'another long password' },
  'POST /api/auth/reset-password': { ...invented, new_password: 'another long password' },
  'POST /api/auth/passkey/verify-registration': { response: {} },
  'POST /api/workspaces': { slug: 'stolen', name: 'Stolen' },
  'PATCH /api/me': { name: 'Stolen' },
  'PUT /api/preferences': { theme: 'dark' },
  'PATCH /api/w/:slug/settings': { logging: { enabled: false, retention_days: 7 } },
  'POST /api/w/:slug/keys': { name: 'stolen' },
  'PATCH /api/w/:slug/keys/:id': { name: 'stolen' },
  'PUT /api/w/:slug/budgets': { scope: 'workspace', subject: '', period: 'day', amount_nano: '1' },
  'POST /api/w/:slug/erasures': { person: 'somebody' },
  'POST /api/w/:slug/erasures/:id/confirm': { person: 'somebody' },
  'PUT /api/w/:slug/provider_keys/:provider': { key: 'sk-of-somebody-else' },
  'PATCH /api/w/:slug/members/:user_id': { role: 'owner' },
  'POST /api/w/:slug/invitations': { email: someone.email, role: 'owner' },
  'POST /api/invite': invented,
  'POST /api/invite/accept': { ...invented, name: 'Ann', password },
  'PUT /api/w/:slug/views': { data: [] },
  'PATCH /api/admin/users/:id': { operator: true },
  'PATCH /api/admin/workspaces/:slug': { disabled: true },
  'PATCH /api/admin/workspaces/:slug/limits': { guarded_calls_per_minute: 1_000_000 },
  'POST /api/admin/work/retry': { slug: 'stolen', error: 'none' },
  'POST /api/admin/workspaces/:slug/corrections': { amount_nano: '-1000000000', reference: 'stolen', reason: 'None.' },
  'POST /api/admin/workspaces/:slug/credits': { amount_nano: '1000000000', reference: 'stolen', reason: 'None.' },
}

/** The path of an endpoint, with these names in it. */
export function pathOf(
  { path }: Pick<DashboardEndpoint, 'path'>,
  slug: string,
  named: Readonly<Record<string, string>> = {},
): string {
  return path.replace(/[:*](\w+)/g, (_, name: string) => {
    if (name === 'slug') return slug
    return named[name] ?? plain[name] ?? randomUUID()
  })
}

const plain: Readonly<Record<string, string>> = { provider: 'openai', cause: 'no_credit', month: '2026-01' }

/** One object of each kind, of a workspace and its owner. */
export async function createOwnThings(
  fleet: RunningFleet,
  pool: Pool,
  { workspace, owner }: { readonly workspace: DemoWorkspace; readonly owner: TestPerson },
): Promise<OwnThings> {
  const member = await workspace.addMember('member')
  const invitation = await sendFromPage(fleet, pathOf(createInvitation, workspace.slug), {
    method: 'POST',
    body: { email: `invited@${workspace.slug}.example`, role: 'member' },
    cookie: owner.cookie,
  })
  const { id } = (await invitation.json()) as { readonly id: string }
  const passkey = randomUUID()
  await pool.query(
    `INSERT INTO auth_passkey (id, user_id, name, public_key, credential_id, counter, device_type, backed_up)
     VALUES ($1, $2, 'A key', 'x', $3, 0, 'singleDevice', false)`,
    [passkey, owner.userId, passkey],
  )
  const budget = randomUUID()
  await pool.query(
    `INSERT INTO budget (id, workspace_id, scope, subject, period, amount, created_at, updated_at)
     VALUES ($1, $2, 'tag', 'owned', 'month', 1000000000, now(), now())`,
    [budget, workspace.workspaceId],
  )
  const erasure = randomUUID()
  await pool.query(
    `INSERT INTO person_erasure (id, workspace_id, kind, person, person_id, pseudonym, state, requested_at)
     VALUES ($1, $2, 'end_user', 'somebody', $1, $1, 'found', now())`,
    [erasure, workspace.workspaceId],
  )
  const only = async (text: string, value: string) => {
    const { rows } = await pool.query<{ id: string }>(text, [value])
    return rows[0]?.id ?? ''
  }
  return {
    budget,
    erasure,
    key: workspace.keyId,
    user: member.userId,
    invitation: id,
    passkey,
    session: await only('SELECT id FROM auth_session WHERE user_id = $1 LIMIT 1', owner.userId),
    event: await only('SELECT id FROM audit_event WHERE workspace_id = $1 LIMIT 1', workspace.workspaceId),
  }
}

/** A digest of every row that the dashboard may write. */
export async function digestOfState(pool: Pool): Promise<Readonly<Record<string, string>>> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT DISTINCT table_name AS name FROM information_schema.column_privileges
     WHERE grantee = 'ratchet_dashboard' AND privilege_type IN ('INSERT', 'UPDATE') AND table_schema = 'public'`,
  )
  const digests = tables.map(async ({ name }) => {
    const text = `SELECT coalesce(md5(string_agg(t::text, '|' ORDER BY t::text)), '') AS digest FROM "${name}" t`
    const { rows } = await pool.query<{ digest: string }>(text)
    return [name, rows[0]?.digest ?? ''] as const
  })
  return Object.fromEntries(await Promise.all(digests))
}
