import type { Role } from '@ratchet/contracts/identity'
import type { Pool } from '@ratchet/db/connect-pool'
import type { DashboardDb } from '@ratchet/db/dashboard-client'
import type { Membership, Person } from './person.ts'

export interface SessionKey {
  /** From the cookie. */
  readonly token: string
  /** Of the workspace in the path; null without one. */
  readonly slug: string | null
  readonly now: Date
}

export interface FoundPerson {
  readonly person: Person
  readonly membership: Membership | null
}

export interface OpenPage {
  readonly sessionId: string
  readonly workspaceId: string
}

export type People = ReturnType<typeof createPgPeople>

/** Who is signed in. Nothing is remembered between two requests, so what is removed is gone for the next one. */
export function createPgPeople(pool: Pool, db: DashboardDb) {
  return {
    find: (key: SessionKey) => find(pool, key),
    /** Of these pages, those whose session is valid and whose person is still a member. */
    async stillOpen(pages: readonly OpenPage[], now: Date): Promise<readonly OpenPage[]> {
      const values = [pages.map(({ sessionId }) => sessionId), pages.map(({ workspaceId }) => workspaceId), now]
      return (await pool.query<OpenPage>(stillOpenStatement, values)).rows
    },
    /** Workspaces of a person that are not disabled, by name. */
    async workspacesOf(userId: string): Promise<readonly Omit<Membership, 'workspaceId'>[]> {
      const found = await db.membership.findMany({
        where: { userId, workspace: { disabledAt: null } },
        select: { role: true, mayGrade: true, workspace: { select: { slug: true, name: true } } },
        orderBy: { workspace: { name: 'asc' } },
      })
      return found.map(({ workspace: { slug, name }, ...rest }) => ({ slug, workspaceName: name, ...rest }))
    },
    async sessionsOf(userId: string, now: Date) {
      const where = { userId, expiresAt: { gt: now } }
      const select = { id: true, userAgent: true, createdAt: true, expiresAt: true } as const
      return db.authSession.findMany({ where, select, orderBy: { createdAt: 'desc' } })
    },
    /** False when the user has no such session. */
    async endSession({ id, userId }: { readonly id: string; readonly userId: string }): Promise<boolean> {
      return (await db.authSession.deleteMany({ where: { id, userId } })).count === 1
    },
    async endSessionsExcept({ id, userId }: { readonly id: string; readonly userId: string }): Promise<void> {
      await db.authSession.deleteMany({ where: { userId, id: { not: id } } })
    },
  }
}

const findStatement = `
  SELECT s.id AS session_id, s.created_at, s.updated_at, s.expires_at, u.id AS user_id, u.email, u.name, u.operator,
    w.id AS workspace_id, w.slug, w.name AS workspace_name, m.role::text AS role, m.may_grade
  FROM auth_session s
  JOIN app_user u ON u.id = s.user_id AND u.disabled_at IS NULL
  LEFT JOIN workspace w ON w.slug = $2 AND w.disabled_at IS NULL
  LEFT JOIN membership m ON m.workspace_id = w.id AND m.user_id = s.user_id
  WHERE s.token = $1 AND s.expires_at > $3`

const stillOpenStatement = `
  SELECT s.id AS "sessionId", m.workspace_id AS "workspaceId"
  FROM unnest($1::uuid[], $2::uuid[]) AS page (session_id, workspace_id)
  JOIN auth_session s ON s.id = page.session_id
  JOIN app_user u ON u.id = s.user_id AND u.disabled_at IS NULL
  JOIN membership m ON m.workspace_id = page.workspace_id AND m.user_id = s.user_id
  JOIN workspace w ON w.id = m.workspace_id AND w.disabled_at IS NULL
  WHERE s.expires_at > $3`

interface PersonRow {
  readonly session_id: string
  readonly created_at: Date
  readonly updated_at: Date
  readonly expires_at: Date
  readonly user_id: string
  readonly email: string
  readonly name: string
  readonly operator: boolean
  readonly workspace_id: string | null
  readonly slug: string | null
  readonly workspace_name: string | null
  readonly role: Role | null
  readonly may_grade: boolean | null
}

async function find(pool: Pool, { token, slug, now }: SessionKey): Promise<FoundPerson | null> {
  const { rows } = await pool.query<PersonRow>({ name: 'find-person', text: findStatement, values: [token, slug, now] })
  const [row] = rows
  if (row === undefined) return null
  const { user_id: userId, email, name, operator } = row
  const session = {
    id: row.session_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    expiresAt: row.expires_at,
  }
  return { person: { userId, email, name, operator, session }, membership: membershipOf(row) }
}

function membershipOf({ workspace_id, slug, workspace_name, role, may_grade }: PersonRow): Membership | null {
  if (workspace_id === null || slug === null || role === null) return null
  return { workspaceId: workspace_id, slug, workspaceName: workspace_name ?? slug, role, mayGrade: may_grade === true }
}
