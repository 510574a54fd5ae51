import { randomUUID } from 'node:crypto'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { createChangeLog, endLostChanges } from './change-log.ts'
import { connectPool, type Pool } from './connect-pool.ts'

let database: FreshDatabase
let operator: Pool
let alias: Pool
let dashboard: Pool

beforeAll(async () => {
  database = await freshDatabase()
  operator = connectPool({ databaseUrl: database.url, max: 2 })
  alias = connectPool({ databaseUrl: database.url, max: 2, role: 'ratchet_alias' })
  dashboard = connectPool({ databaseUrl: database.url, max: 2, role: 'ratchet_dashboard' })
})
afterAll(async () => {
  for (const pool of [operator, alias, dashboard]) await pool.end()
  await database.drop()
})

const at = new Date('2026-11-21T12:00:00.000Z')
const newChange = (workspaceId: string) => ({
  id: randomUUID(),
  workspaceId,
  action: 'webhook.created',
  subject: '',
  userId: randomUUID(),
  keyId: randomUUID(),
  requestId: 'r1',
  at,
})

async function entriesOf(workspaceId: string) {
  const text = 'SELECT content FROM audit_log WHERE workspace_id = $1 ORDER BY position'
  const { rows } = await operator.query<{ content: string }>(text, [workspaceId])
  return rows.map(({ content }) => JSON.parse(content))
}

it('seals a change once, with who made it and with what key', async () => {
  const log = createChangeLog(alias)
  const change = newChange(randomUUID())
  await log.begin(change)
  expect(await entriesOf(change.workspaceId)).toEqual([])
  const ended = { ...change, subject: 'whk_1', made: { fields: ['url'] } }
  await log.end(ended)
  await log.end(ended)
  expect(await entriesOf(change.workspaceId)).toMatchObject([
    {
      id: change.id,
      action: 'webhook.created',
      subject: 'whk_1',
      user_id: change.userId,
      key_id: change.keyId,
      before: null,
      after: '{"fields":["url"]}',
      request_id: 'r1',
    },
  ])
})

it('forgets what changed nothing', async () => {
  const log = createChangeLog(alias)
  const change = newChange(randomUUID())
  await log.begin(change)
  await log.end({ ...change, subject: null, made: null })
  expect(await endLostChanges(dashboard, new Date(at.getTime() + 1))).toBe(0)
  expect(await entriesOf(change.workspaceId)).toEqual([])
})

it('seals what never ended as unknown, and only that, in the logs of several workspaces', async () => {
  const log = createChangeLog(alias)
  const [lost, other, young] = [newChange(randomUUID()), newChange(randomUUID()), newChange(randomUUID())]
  for (const change of [lost, other]) await log.begin({ ...change, subject: 'whk_2' })
  await log.begin({ ...young, at: new Date(at.getTime() + 60_000) })
  expect(await endLostChanges(dashboard, new Date(at.getTime() + 1))).toBe(2)
  for (const { workspaceId } of [lost, other]) {
    const [entry, ...more] = await entriesOf(workspaceId)
    expect([entry.subject, JSON.parse(entry.after), more]).toEqual(['whk_2', { outcome: 'unknown' }, []])
  }
  expect(await entriesOf(young.workspaceId)).toEqual([])
})

it('cannot be ended for another workspace, nor read or written past its functions', async () => {
  const log = createChangeLog(alias)
  const change = newChange(randomUUID())
  await log.begin(change)
  await log.end({ ...change, workspaceId: randomUUID(), subject: null, made: null })
  await log.end({ ...change, subject: null, made: {} })
  expect(await entriesOf(change.workspaceId)).toHaveLength(1)
  for (const text of ['SELECT * FROM begun_change', 'DELETE FROM begun_change', 'SELECT end_lost_changes(now())']) {
    await expect(alias.query(text)).rejects.toMatchObject({ code: '42501' })
  }
})
