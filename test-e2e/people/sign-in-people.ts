import type { Pool } from '@ratchet/db/connect-pool'
import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import type { RunningFleet } from '../shared-fleet/shared-fleet.ts'
import { signInUser } from '../signed-in.ts'

/** Who tries: people of a workspace by what they may do there, and the owner of another one. */
const personNames = ['owner', 'staleOwner', 'admin', 'grader', 'member', 'operator', 'staleOperator'] as const
export type PersonName = (typeof personNames)[number]

export interface TestPerson {
  readonly userId: string
  readonly cookie: string
}

export type People = Readonly<Record<PersonName, TestPerson>>

/** Signs in one person of each kind in a workspace. */
export async function signInPeople(fleet: RunningFleet, pool: Pool, workspace: DemoWorkspace): Promise<People> {
  const { workspaceId } = workspace
  const people: Partial<Record<PersonName, TestPerson>> = {}
  for (const name of personNames) {
    const userId = name === 'owner' ? workspace.userId : (await workspace.addMember(roleOf(name))).userId
    // One after another, because a client may make only few attempts at a time.
    people[name] = { userId, cookie: await signInUser(fleet, userId) }
    if (name === 'grader') {
      const text = 'UPDATE membership SET may_grade = true WHERE workspace_id = $1 AND user_id = $2'
      await pool.query(text, [workspaceId, userId])
    }
    if (name.endsWith('perator')) await pool.query('UPDATE app_user SET operator = true WHERE id = $1', [userId])
    if (name.startsWith('stale')) await age(pool, userId)
  }
  return people as People
}

function roleOf(name: PersonName) {
  if (name === 'admin') return 'admin'
  return name === 'staleOwner' ? 'owner' : 'member'
}

/** Makes a sign-in older than what changes of money and rights accept. */
async function age(pool: Pool, userId: string): Promise<void> {
  await pool.query("UPDATE auth_session SET created_at = now() - interval '16 minutes' WHERE user_id = $1", [userId])
}
