import { randomUUID } from 'node:crypto'
import { decodeBlock } from '@ratchet/db/content-block'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import { uuidV7 } from '@ratchet/service-kit/values/ids'
import { storedExchanges } from '@ratchet/testing/stored-exchanges'
import { createPgDatasets } from '../datasets/pg-datasets.ts'
import { type LogDatabase, logDatabase, unsegmented } from '../exchanges/log-database.fixture.ts'
import { createPgExchanges } from '../exchanges/pg-exchanges.ts'
import { createPgFiles } from '../files/pg-files.ts'
import { createPgExchangeReads } from '../logs/pg-exchange-reads.ts'
import { inlineSkeletons } from '../segments/inline-skeletons.fixture.ts'
import { createPgExchangeRetention } from './pg-exchange-retention.ts'
import { sweepLog } from './pg-retention.ts'

const unchanged = '00000000-0000-7000-8000-00000000a001'
const lowered = '00000000-0000-7000-8000-00000000a002'
const deleted = '00000000-0000-7000-8000-00000000a003'

let database: LogDatabase
let index = 0

beforeEach(async () => {
  database = await logDatabase()
  await database.addWorkspace(unchanged, 30)
  await database.addWorkspace(lowered, 7)
}, 60_000)
afterEach(() => database.drop())

/** Exchanges of a workspace: their age in days and the retention in days under which they were stored. */
async function write(workspaceId: string, ages: readonly number[], retentionDays: number): Promise<void> {
  const log = createPgExchanges({
    pool: database.pool,
    newBlockId: () => crypto.randomUUID(),
    skeletons: inlineSkeletons,
  })
  await log.write(
    ages.map((age) => {
      index += 1
      const createdAt = new Date(Date.now() - age * dayMs)
      return unsegmented(index, {
        workspaceId,
        createdAt,
        retentionDays,
        system: 'Some system prompt of the workspace.',
      })
    }),
  )
}

/** Exchanges of two years ago: days since their import and the retention in days under which they were stored. */
async function writeImported(workspaceId: string, ages: readonly number[], retentionDays: number): Promise<void> {
  const imported = ages.map((age) => {
    index += 1
    const importedMs = Date.now() - age * dayMs
    const createdAt = new Date(Date.now() - 730 * dayMs)
    const expiresAt = new Date(importedMs + retentionDays * dayMs)
    return {
      ...unsegmented(index, { workspaceId, createdAt }),
      source: 'import' as const,
      id: uuidV7(importedMs),
      expiresAt,
    }
  })
  await createPgExchanges({
    pool: database.pool,
    newBlockId: () => crypto.randomUUID(),
    skeletons: inlineSkeletons,
  }).write(imported)
}

const daysBetween = (from: Date, to: Date) => Math.round((to.getTime() - from.getTime()) / 86_400_000)

/** The exchanges whose content can be read. Checks that each block has exactly the contents of its exchanges. */
async function readable(workspaceId: string) {
  const { rows: blocks } = await database.operator.query<{
    id: string
    expires_on: string
    content: Buffer
    exchanges: number
  }>('SELECT id, expires_on::text, content, exchanges FROM exchange_block WHERE workspace_id = $1', [workspaceId])
  for (const block of blocks) {
    const { rows } = await database.operator.query<{ id: string }>(
      'SELECT id FROM exchange WHERE block_id = $1 AND expires_on = $2::date ORDER BY id',
      [block.id, block.expires_on],
    )
    const ids = decodeBlock(block.content).map(({ id }) => id)
    expect(ids.toSorted()).toEqual(rows.map(({ id }) => id))
    expect(block.exchanges).toBe(ids.length)
  }
  const stored = await storedExchanges<{ created_at: Date; expires_at: Date }>(
    database.operator,
    'e.workspace_id = $1',
    [workspaceId],
  )
  return stored.filter(({ messages }) => messages !== null)
}

async function daysLeft(workspaceId: string): Promise<readonly number[]> {
  return (await readable(workspaceId))
    .map(({ expires_at }) => daysBetween(new Date(), expires_at))
    .sort((a, b) => a - b)
}

async function agesLeft(workspaceId: string) {
  const rows = (await readable(workspaceId)).map(({ created_at, expires_at }) => ({
    age: daysBetween(created_at, new Date()),
    days: daysBetween(created_at, expires_at),
  }))
  return rows.sort((a, b) => a.age - b.age)
}

/** A span, two files and a dataset. */
async function addBelongings(workspaceId: string): Promise<void> {
  const { operator } = database
  await operator.query(
    `INSERT INTO span VALUES ($1, 't', 's', null, 'n', 'internal', now(), now(), 'ok', '{}', now() + interval '1 day')`,
    [workspaceId],
  )
  for (const id of [randomUUID(), randomUUID()]) {
    await operator.query(
      "INSERT INTO file (id, workspace_id, filename, purpose, created_by, created_at, completed_at) VALUES ($1, $2, 'f', 'fine-tune', $2, now(), now())",
      [id, workspaceId],
    )
    await operator.query("INSERT INTO file_chunk VALUES ($1, 0, 'x')", [id])
  }
  await operator.query(
    "INSERT INTO dataset (id, workspace_id, name, kind, source, filters, created_by, created_at, frozen_at) VALUES (gen_random_uuid(), $1, 'd', 'train', 'upload', '{}', $1, now(), now())",
    [workspaceId],
  )
}

async function belongingsLeft(workspaceId: string): Promise<Record<string, number>> {
  const { rows } = await database.operator.query(
    `SELECT (SELECT count(*)::int FROM span WHERE workspace_id = $1) AS spans,
       (SELECT count(*)::int FROM file WHERE workspace_id = $1) AS files,
       (SELECT count(*)::int FROM file_chunk c JOIN file f ON f.id = c.file_id WHERE f.workspace_id = $1) AS pieces,
       (SELECT count(*)::int FROM dataset WHERE workspace_id = $1) AS datasets`,
    [workspaceId],
  )
  return rows[0]
}

describe('sweepLog', () => {
  it('does not touch rows that have not expired', async () => {
    await write(unchanged, [0, 5, 29], 30)
    expect(await sweepLog(database.pool, createPgExchangeRetention(database.pool), new Date())).toEqual({
      droppedPartitions: 0,
      deletedRows: 0,
      shortenedRows: 0,
      deletedFiles: 0,
    })
    expect((await agesLeft(unchanged)).map(({ age }) => age)).toEqual([0, 5, 29])
  })

  it('drops partitions whose day is over, and deletes rows that expired today', async () => {
    await write(unchanged, [0, 29.9999], 30)
    const yesterday = new Date(Date.now() - dayMs).toISOString().slice(0, 10)
    await database.operator.query('SELECT ensure_exchange_partition($1)', [yesterday])
    const report = await sweepLog(
      database.pool,
      createPgExchangeRetention(database.pool),
      new Date(Date.now() + 60_000),
    )
    expect(report).toMatchObject({ droppedPartitions: 3, deletedRows: 1 })
    expect(await agesLeft(unchanged)).toEqual([{ age: 0, days: 30 }])
  })

  it('brings expiry forward after a shorter retention, and never extends it', async () => {
    await write(lowered, [0, 3, 10, 20], 30)
    await write(unchanged, [1], 7)
    expect(await sweepLog(database.pool, createPgExchangeRetention(database.pool), new Date())).toMatchObject({
      deletedRows: 2,
      shortenedRows: 2,
    })
    expect(await agesLeft(lowered)).toEqual([
      { age: 0, days: 7 },
      { age: 3, days: 7 },
    ])
    expect(await agesLeft(unchanged)).toEqual([{ age: 1, days: 7 }])
    expect(await sweepLog(database.pool, createPgExchangeRetention(database.pool), new Date())).toMatchObject({
      deletedRows: 0,
      shortenedRows: 0,
    })
  })

  it('counts the retention of imported rows from their import, however old they are', async () => {
    await writeImported(unchanged, [0, 29], 30)
    await writeImported(lowered, [0, 3, 10, 24], 30)
    expect(await sweepLog(database.pool, createPgExchangeRetention(database.pool), new Date())).toMatchObject({
      deletedRows: 2,
      shortenedRows: 2,
    })
    expect(await daysLeft(unchanged)).toEqual([1, 30])
    expect(await daysLeft(lowered)).toEqual([4, 7])
    expect(await sweepLog(database.pool, createPgExchangeRetention(database.pool), new Date())).toMatchObject({
      deletedRows: 0,
      shortenedRows: 0,
    })
  })

  it('deletes spans and files of a deleted workspace, and leaves its datasets', async () => {
    for (const workspaceId of [deleted, unchanged]) await addBelongings(workspaceId)
    expect(await sweepLog(database.pool, createPgExchangeRetention(database.pool), new Date())).toMatchObject({
      deletedFiles: 2,
    })
    expect(await belongingsLeft(deleted)).toEqual({ spans: 0, files: 0, pieces: 0, datasets: 1 })
    expect(await belongingsLeft(unchanged)).toEqual({ spans: 1, files: 2, pieces: 2, datasets: 1 })
  })

  it('deletes all rows of a workspace after it was deleted', async () => {
    await write(unchanged, [0, 1], 30)
    await addBelongings(unchanged)
    await database.operator.query('DELETE FROM workspace WHERE id = $1', [unchanged])
    expect(await sweepLog(database.pool, createPgExchangeRetention(database.pool), new Date())).toMatchObject({
      deletedRows: 2,
      deletedFiles: 2,
    })
    expect(await agesLeft(unchanged)).toEqual([])
    expect(await belongingsLeft(unchanged)).toMatchObject({ spans: 0, files: 0, datasets: 1 })
  })

  it('deletes the families of a deleted workspace', async () => {
    await write(deleted, [0, 1, 2], 30)
    await write(unchanged, [0], 30)
    await sweepLog(database.pool, createPgExchangeRetention(database.pool), new Date())
    expect(await agesLeft(deleted)).toEqual([])
    expect(await agesLeft(unchanged)).toHaveLength(1)
    const { rows } = await database.operator.query('SELECT DISTINCT workspace_id FROM segment_family')
    expect(rows).toEqual([{ workspace_id: unchanged }])
  })

  it('deletes files and datasets that were begun long ago and never finished', async () => {
    const { pool } = database
    const [files, datasets] = [createPgFiles(pool), createPgDatasets(pool)]
    const at = new Date()
    const old = new Date(at.getTime() - 7 * 3_600_000)
    const left: boolean[] = []
    for (const createdAt of [old, at]) {
      for (const workspaceId of [unchanged, lowered]) {
        const begun = { id: randomUUID(), workspaceId, createdBy: randomUUID(), createdAt }
        await files.begin({ ...begun, filename: 'f' })
        await files.append(begun, 0, Buffer.from('x'))
        const made = {
          kind: 'train',
          source: 'upload',
          format: 'chat',
          filters: {},
          criterionId: null,
          holdoutPct: null,
        } as const
        await datasets.begin({ ...begun, ...made, name: 'd', description: null })
        await sweepLog(pool, createPgExchangeRetention(pool), at)
        left.push(await files.delete(begun), await datasets.delete(begun))
      }
    }
    expect(left).toEqual([false, false, false, false, true, true, true, true])
  })

  it('runs in one process at a time', async () => {
    const other = await database.pool.connect()
    await other.query('SELECT pg_advisory_lock(7402315004)')
    expect(await sweepLog(database.pool, createPgExchangeRetention(database.pool), new Date())).toBeNull()
    await other.query('SELECT pg_advisory_unlock_all()')
    other.release()
    expect(await sweepLog(database.pool, createPgExchangeRetention(database.pool), new Date())).not.toBeNull()
  })
})

it('loses no entry of a list that is read while a sweep moves entries to another day', async () => {
  await write(lowered, [0, 1, 2], 30)
  const reads = createPgExchangeReads(database.pool)
  const at = new Date()
  const listed = await reads.page({ workspaceId: lowered, at, filter: {}, limit: 10, offset: 0, after: null })
  await createPgExchangeRetention(database.pool).sweep(new Date())
  expect((await reads.contents({ workspaceId: lowered }, listed)).size).toBe(3)
})
