import { countingUuids } from '@ratchet/testing/counting-ids'
import { elapse } from '@ratchet/testing/elapse'
import { eventually } from '@ratchet/testing/eventually'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { connectPrisma } from './connect.ts'
import { connectPool, type Pool, type PoolClient } from './connect-pool.ts'
import { createUser, createWorkspace, revokeApiKey, saveApiKey, setRole } from './operator.ts'
import { changeKeyRules } from './workspace-settings.ts'

const at = new Date('2026-11-21T12:00:00.000Z')
const newId = countingUuids()

let database: FreshDatabase
let db: ReturnType<typeof connectPrisma>
let pool: Pool

beforeAll(async () => {
  database = await freshDatabase()
  db = connectPrisma({ databaseUrl: database.url, max: 2 })
  pool = connectPool({ databaseUrl: database.url, max: 8 })
})
afterEach(() => pool.query('DELETE FROM edge_lease'))
afterAll(async () => {
  await db.$disconnect()
  await pool.end()
  await database.drop()
})

async function addMember() {
  const workspace = await createWorkspace(db, { id: newId(), slug: newId(), name: 'W', at })
  const user = await createUser(db, { id: newId(), email: `${newId()}@example.com`, name: 'U', at })
  const member = { workspaceId: workspace.id, userId: user.id }
  await setRole(db, { ...member, role: 'admin', at })
  const keyId = newId()
  const hash = new Uint8Array(32)
  hash.set(Buffer.from(keyId.replaceAll('-', '')))
  await saveApiKey(db, { ...member, id: keyId, name: 'k', hash, display: 'd', at })
  return { ...member, keyId }
}

async function changes(): Promise<{ version: number; user_id: string | null }[]> {
  const { rows } = await pool.query('SELECT version::int, user_id FROM key_change ORDER BY version')
  return rows
}

const addLease = (timeline = 'current_timeline()') =>
  pool.query(
    `INSERT INTO edge_lease SELECT gen_random_uuid(), ${timeline}, coalesce(max(version), 0), 0, now() FROM key_change`,
  )
const acknowledge = () => pool.query('UPDATE edge_lease SET acked_version = (SELECT max(version) FROM key_change)')

async function msOf(work: Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work
  return performance.now() - startedAt
}

describe('a version', () => {
  it.each<[string, (member: Awaited<ReturnType<typeof addMember>>) => Promise<unknown>]>([
    ['revoked', ({ keyId }) => revokeApiKey(db, { id: keyId, at })],
    ['given another role', (member) => setRole(db, { ...member, role: 'member', at })],
    ['removed from the workspace', ({ userId }) => pool.query('DELETE FROM membership WHERE user_id = $1', [userId])],
    ['deleted', ({ userId }) => pool.query('DELETE FROM api_key WHERE user_id = $1', [userId])],
    [
      'refused with its user',
      ({ userId }) => pool.query('UPDATE app_user SET disabled_at = now() WHERE id = $1', [userId]),
    ],
    ['deleted with its user', ({ userId }) => pool.query('DELETE FROM app_user WHERE id = $1', [userId])],
    ['deleted with its workspace', (member) => pool.query('DELETE FROM workspace WHERE id = $1', [member.workspaceId])],
    ['given another hash', ({ keyId }) => pool.query("UPDATE api_key SET hash = '\\x01' WHERE id = $1", [keyId])],
  ])('is written with the commit when a key is %s, whoever does it', async (_what, change) => {
    const member = await addMember()
    const before = await changes()
    await change(member)
    const added = (await changes()).filter(({ version }) => version > (before.at(-1)?.version ?? 0))
    expect(new Set(added.map(({ user_id }) => user_id))).toEqual(new Set([member.userId]))
  })

  it('concerns all keys when a workspace is disabled or enabled', async () => {
    const { workspaceId } = await addMember()
    for (const value of ['now()', 'NULL']) {
      await pool.query(`UPDATE workspace SET disabled_at = ${value} WHERE id = $1`, [workspaceId])
      const last = (await changes()).at(-1)
      expect(last).toMatchObject({ user_id: null })
    }
  })

  it('is written once for a new member, whose keys an edge may remember as unknown, and not for the new key', async () => {
    const last = (await changes()).at(-1)?.version ?? 0
    const { userId } = await addMember()
    const added = (await changes()).filter(({ version }) => version > last)
    expect(added).toEqual([{ version: last + 1, user_id: userId }])
  })

  it('is not written for what edges do not remember: limits, an unchanged role', async () => {
    const member = await addMember()
    const before = await changes()
    await setRole(db, { ...member, role: 'admin', at })
    await changeKeyRules(db, { id: member.keyId, changes: { requestsPerMinute: 5 } })
    expect(await changes()).toEqual(before)
  })

  it('concerns all keys when a table is emptied', async () => {
    await addMember()
    await pool.query('TRUNCATE membership')
    expect((await changes()).at(-1)).toMatchObject({ user_id: null })
  })

  it('is stored for the last hundred changes', async () => {
    const { keyId } = await addMember()
    for (let round = 0; round < 55; round++) {
      await pool.query('UPDATE api_key SET revoked_at = now() WHERE id = $1', [keyId])
      await pool.query('UPDATE api_key SET revoked_at = NULL WHERE id = $1', [keyId])
    }
    const stored = await changes()
    expect(stored).toHaveLength(100)
  })
})

describe('versions of concurrent transactions', () => {
  async function inClient<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await pool.connect()
    try {
      return await work(client)
    } finally {
      client.release()
    }
  }

  it('are given out by the order of commits, not of statements', async () => {
    const [first, second] = [await addMember(), await addMember()]
    await inClient(async (slow) => {
      await slow.query('BEGIN')
      await slow.query('DELETE FROM api_key WHERE id = $1', [first.keyId])
      await revokeApiKey(db, { id: second.keyId, at })
      await slow.query('COMMIT')
    })
    expect((await changes()).slice(-2).map(({ user_id }) => user_id)).toEqual([second.userId, first.userId])
  })

  it('wait for a version that was given out and is not committed', async () => {
    const [first, second] = [await addMember(), await addMember()]
    await inClient(async (slow) => {
      await slow.query('BEGIN; SET CONSTRAINTS ALL IMMEDIATE')
      await slow.query('DELETE FROM api_key WHERE id = $1', [first.keyId])
      const before = await changes()
      const revoking = revokeApiKey(db, { id: second.keyId, at })
      const waits = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`
      await eventually(async () => expect((await pool.query(waits)).rows).toHaveLength(1))
      expect(await changes()).toEqual(before)
      await slow.query('COMMIT')
      await revoking
    })
    expect((await changes()).slice(-2).map(({ user_id }) => user_id)).toEqual([first.userId, second.userId])
  })

  it('become visible in their order', async () => {
    const members = await Promise.all([addMember(), addMember(), addMember(), addMember()])
    const writers = members.map(async ({ keyId }, index) =>
      inClient(async (client) => {
        for (let round = 0; round < 30; round++) {
          await client.query(`BEGIN; SET CONSTRAINTS ALL ${index % 2 === 0 ? 'IMMEDIATE' : 'DEFERRED'}`)
          await client.query('UPDATE api_key SET revoked_at = $2 WHERE id = $1', [keyId, new Date(round)])
          await client.query(round % 5 === 4 ? 'ROLLBACK' : 'COMMIT')
        }
      }),
    )
    let isWriting = true
    const written = Promise.all(writers).finally(() => {
      isWriting = false
    })
    let known: number[] = (await changes()).map(({ version }) => version)
    let readings = 0
    while (isWriting) {
      const seen = (await changes()).map(({ version }) => version)
      const newest = known.at(-1) ?? 0
      expect(seen.filter((version) => version <= newest && !known.includes(version))).toEqual([])
      known = seen
      readings += 1
    }
    await written
    expect(readings).toBeGreaterThan(10)
  })
})

describe('a command that changes a key', () => {
  it('returns at once when no edge has a lease, and when all have acknowledged', async () => {
    const { keyId } = await addMember()
    expect(await msOf(revokeApiKey(db, { id: keyId, at }))).toBeLessThan(1_000)
    await addLease()
    expect(await msOf(revokeApiKey(db, { id: keyId, at }))).toBeLessThan(1_000)
  })

  it('returns when an edge has acknowledged, not earlier', async () => {
    const { keyId } = await addMember()
    await addLease()
    let hasReturned = false
    const revoking = revokeApiKey(db, { id: keyId, at }).then(() => {
      hasReturned = true
    })
    await eventually(async () =>
      expect(await db.apiKey.findUnique({ where: { id: keyId } })).toMatchObject({ revokedAt: at }),
    )
    await elapse(300)
    expect(hasReturned).toBe(false)
    await acknowledge()
    await revoking
  })

  it('waits three seconds for an edge that died, and never again', async () => {
    const [first, second] = [await addMember(), await addMember()]
    await addLease()
    const ms = await msOf(revokeApiKey(db, { id: first.keyId, at }))
    expect(ms).toBeGreaterThan(3_000)
    expect(ms).toBeLessThan(6_000)
    expect(await msOf(setRole(db, { ...second, role: 'member', at }))).toBeLessThan(1_000)
  }, 15_000)

  it('waits for leases of another timeline although they acknowledged, and in a timeline that is new', async () => {
    const { keyId } = await addMember()
    await addLease("'0000FFFF'")
    expect(await msOf(revokeApiKey(db, { id: keyId, at }))).toBeGreaterThan(3_000)
    await pool.query('DELETE FROM key_timeline')
    expect(await msOf(revokeApiKey(db, { id: keyId, at }))).toBeGreaterThan(3_000)
    expect(await msOf(revokeApiKey(db, { id: keyId, at }))).toBeLessThan(1_000)
  }, 20_000)

  it('reports that it is not confirmed when the database goes away', async () => {
    const { keyId } = await addMember()
    await addLease()
    const refused = expect(revokeApiKey(db, { id: keyId, at })).rejects.toThrow(/the change is saved, but .* repeat it/)
    await eventually(async () =>
      expect(await db.apiKey.findUnique({ where: { id: keyId } })).toMatchObject({ revokedAt: at }),
    )
    await pool.query('ALTER TABLE edge_lease RENAME TO hidden_lease')
    await refused
    await pool.query('ALTER TABLE hidden_lease RENAME TO edge_lease')
  })
})
