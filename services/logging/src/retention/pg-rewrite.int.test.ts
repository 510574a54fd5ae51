import { dayMs } from '@ratchet/service-kit/timing/durations'
import { eventually } from '@ratchet/testing/eventually'
import { storedExchanges } from '@ratchet/testing/stored-exchanges'
import { type LogDatabase, logDatabase } from '../exchanges/log-database.fixture.ts'
import { storeExchanges } from '../exchanges/logged-exchanges.fixture.ts'
import { createPgExchangeReads } from '../logs/pg-exchange-reads.ts'
import { createPgExchangeRetention } from './pg-exchange-retention.ts'
import { sweepLog } from './pg-retention.ts'
import { beginWalFile, rewriteAfterDeletions } from './pg-rewrite.ts'

const workspaceId = '00000000-0000-7000-8000-00000000d001'
const at = new Date()
const scope = { workspaceId, at }

let database: LogDatabase
beforeEach(async () => {
  database = await logDatabase()
  await database.addWorkspace(workspaceId, 30)
}, 60_000)
afterEach(() => database.drop())

/** Stores exchanges that expire in these numbers of days; returns their ids. */
const store = (days: readonly number[]) =>
  storeExchanges(
    database.pool,
    scope,
    days.map((each) => ({ expiresAt: new Date(at.getTime() + each * dayMs) })),
  )
const dayIn = (days: number) => new Date(at.getTime() + days * dayMs).toISOString().slice(0, 10)
const remove = (id: string) => createPgExchangeReads(database.pool).delete(scope, id)
const soon = () => ({ before: new Date(Date.now() + 1_000) })
/** The database may analyse tables at a moment, which reads what was deleted. */
const rewriteIdle = () =>
  eventually(async () => {
    const report = await rewriteAfterDeletions(database.pool, soon())
    expect(report.busy).toEqual([])
    return report
  })
const tables = ['exchange_block', 'exchange_content', 'exchange'] as const
const ofDay = (day: string) => tables.map((table) => ({ table, day }))
const nothing = { rewritten: [], tooLarge: [], busy: [] }

/** The files of a day's partitions. */
async function filesOf(day: string): Promise<readonly (string | null)[]> {
  const parts = tables.map((table) => `${table}_${day.replaceAll('-', '')}`)
  const text = 'SELECT pg_relation_filepath(part::regclass) AS file FROM unnest($1::text[]) AS part'
  const { rows } = await database.operator.query<{ file: string | null }>(text, [parts])
  return rows.map(({ file }) => file)
}

async function readableIds(): Promise<readonly string[]> {
  const rows = await storedExchanges<{ id: string }>(database.operator, 'true')
  return rows.flatMap(({ id, messages }) => (messages === null ? [] : [id])).toSorted()
}

it('writes the partitions of a day with deletions into new files, once, and leaves other days', async () => {
  const [removed = '', ...left] = await store([10, 10, 10, 20])
  const before = [await filesOf(dayIn(10)), await filesOf(dayIn(20))] as const
  expect(await rewriteAfterDeletions(database.pool, soon())).toEqual(nothing)
  await remove(removed)
  expect(await rewriteIdle()).toEqual({ ...nothing, rewritten: ofDay(dayIn(10)) })
  for (const [index, file] of (await filesOf(dayIn(10))).entries()) expect(file).not.toBe(before[0][index])
  expect(await filesOf(dayIn(20))).toEqual(before[1])
  expect(await readableIds()).toEqual(left.toSorted())
  expect(await rewriteAfterDeletions(database.pool, soon())).toEqual(nothing)
})

it('tries a day again while an older transaction may read what was deleted', async () => {
  const [removed = ''] = await store([10, 10])
  const backup = await database.operator.connect()
  try {
    await backup.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
    await backup.query('SELECT 1')
    await remove(removed)
    const { busy } = await rewriteAfterDeletions(database.pool, soon())
    expect(busy.map(({ table }) => table)).toEqual(['exchange_block', 'exchange'])
    await backup.query('COMMIT')
  } finally {
    backup.release()
  }
  expect(await rewriteIdle()).toEqual({ ...nothing, rewritten: ofDay(dayIn(10)) })
})

it('waits until the oldest deletion of a day is old enough', async () => {
  const [removed = ''] = await store([10, 10])
  await remove(removed)
  const before = new Date(Date.now() - 60_000)
  expect(await rewriteAfterDeletions(database.pool, { before })).toEqual(nothing)
  expect(await rewriteIdle()).toEqual({ ...nothing, rewritten: ofDay(dayIn(10)) })
})

it('writes the day again from which exchanges moved after a shortened retention', async () => {
  const ids = await store([30, 30])
  await database.operator.query('UPDATE workspace_settings SET retention_days = 7 WHERE workspace_id = $1', [
    workspaceId,
  ])
  expect(await sweepLog(database.pool, createPgExchangeRetention(database.pool), at)).toMatchObject({
    shortenedRows: 2,
  })
  expect((await rewriteIdle()).rewritten).toEqual(ofDay(dayIn(30)))
  expect(await readableIds()).toEqual(ids.toSorted())
})

it('is not caused by other changes of exchanges', async () => {
  await store([10])
  await database.operator.query("UPDATE exchange SET span_id = 's'")
  expect(await rewriteAfterDeletions(database.pool, soon())).toEqual(nothing)
})

it('leaves the day that is dropped next', async () => {
  const [removed = ''] = await store([10, 10])
  await remove(removed)
  await database.operator.query('UPDATE log_erasure SET expires_on = CURRENT_DATE')
  expect(await rewriteAfterDeletions(database.pool, soon())).toEqual(nothing)
})

it('reports a partition that is too large, and does not try it again', async () => {
  const [removed = ''] = await store([10, 10])
  await remove(removed)
  const before = await filesOf(dayIn(10))
  const report = await rewriteAfterDeletions(database.pool, { ...soon(), maxBytes: 1 })
  expect(report).toEqual({ ...nothing, tooLarge: ofDay(dayIn(10)) })
  expect(await filesOf(dayIn(10))).toEqual(before)
  expect(await rewriteAfterDeletions(database.pool, soon())).toEqual(nothing)
})

it('does not wait for a partition in use, and tries it again', async () => {
  const [removed = ''] = await store([10, 10])
  await remove(removed)
  const reader = await database.operator.connect()
  await reader.query('BEGIN')
  await reader.query('SELECT count(*) FROM exchange_block')
  const report = await rewriteAfterDeletions(database.pool, soon())
  expect(report.busy).toEqual([{ table: 'exchange_block', day: dayIn(10) }])
  await reader.query('ROLLBACK')
  reader.release()
  expect(await rewriteIdle()).toEqual({ ...nothing, rewritten: ofDay(dayIn(10)) })
})

it('rewrites tables of the log only', async () => {
  const call = (table: string) =>
    database.pool.query('SELECT rewrite_exchange_partition($1, $2, $3)', [table, dayIn(10), 1_000_000])
  await expect(call('wallet')).rejects.toMatchObject({ code: '22023' })
})

it('begins a new file of the write-ahead log, where the owner of the tables may', async () => {
  const current = async () => {
    const { rows } = await database.operator.query<{ file: string }>(
      'SELECT pg_walfile_name(pg_current_wal_insert_lsn()) AS file',
    )
    return rows[0]?.file ?? ''
  }
  const before = await current()
  expect(await beginWalFile(database.pool)).toBe(true)
  await store([10])
  expect((await current()) > before).toBe(true)
  await database.operator.query('ALTER FUNCTION begin_wal_file() OWNER TO ratchet_logging')
  expect(await beginWalFile(database.pool)).toBe(false)
})
