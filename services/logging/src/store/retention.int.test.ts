import { type LogDatabase, logDatabase, unsegmented } from './log-database.fixture.ts'
import { createPgExchanges } from './pg-exchanges.ts'
import { sweepLog } from './retention.ts'

const dayMs = 86_400_000
const keeping = '00000000-0000-7000-8000-00000000a001'
const lowered = '00000000-0000-7000-8000-00000000a002'
const deleted = '00000000-0000-7000-8000-00000000a003'

let database: LogDatabase
let index = 0

beforeEach(async () => {
  database = await logDatabase()
  await database.addWorkspace(keeping, 30)
  await database.addWorkspace(lowered, 7)
}, 60_000)
afterEach(() => database.drop())

/** Exchanges of this workspace, so many days old, which were to be kept for so many. */
async function write(workspaceId: string, ages: readonly number[], retentionDays: number): Promise<void> {
  const log = createPgExchanges({ pool: database.pool })
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

async function agesLeft(workspaceId: string) {
  const { rows } = await database.operator.query<{ age: number; days: number }>(
    `SELECT round(extract(epoch FROM now() - created_at) / 86400)::int AS age,
       round(extract(epoch FROM expires_at - created_at) / 86400)::int AS days
     FROM exchange JOIN exchange_content USING (expires_on, id) WHERE workspace_id = $1 ORDER BY 1`,
    [workspaceId],
  )
  return rows
}

describe('sweepLog', () => {
  it('leaves alone what is still to be kept', async () => {
    await write(keeping, [0, 5, 29], 30)
    expect(await sweepLog(database.pool, new Date())).toEqual({
      droppedPartitions: 0,
      deletedRows: 0,
      shortenedRows: 0,
    })
    expect((await agesLeft(keeping)).map(({ age }) => age)).toEqual([0, 5, 29])
  })

  it('drops days that are over, and deletes what expired today', async () => {
    await write(keeping, [0, 29.9999], 30)
    const yesterday = new Date(Date.now() - dayMs).toISOString().slice(0, 10)
    await database.operator.query('SELECT ensure_exchange_partition($1)', [yesterday])
    const report = await sweepLog(database.pool, new Date(Date.now() + 60_000))
    expect(report).toMatchObject({ droppedPartitions: 2, deletedRows: 1 })
    expect(await agesLeft(keeping)).toEqual([{ age: 0, days: 30 }])
  })

  it('shortens what is kept for less time than it was to be, and never lengthens', async () => {
    await write(lowered, [0, 3, 10, 20], 30)
    await write(keeping, [1], 7)
    expect(await sweepLog(database.pool, new Date())).toMatchObject({ deletedRows: 2, shortenedRows: 2 })
    expect(await agesLeft(lowered)).toEqual([
      { age: 0, days: 7 },
      { age: 3, days: 7 },
    ])
    expect(await agesLeft(keeping)).toEqual([{ age: 1, days: 7 }])
    expect(await sweepLog(database.pool, new Date())).toMatchObject({ deletedRows: 0, shortenedRows: 0 })
  })

  it('removes everything of a deleted workspace, its families too', async () => {
    await write(deleted, [0, 1, 2], 30)
    await write(keeping, [0], 30)
    await sweepLog(database.pool, new Date())
    expect(await agesLeft(deleted)).toEqual([])
    expect(await agesLeft(keeping)).toHaveLength(1)
    const { rows } = await database.operator.query('SELECT DISTINCT workspace_id FROM segment_family')
    expect(rows).toEqual([{ workspace_id: keeping }])
  })

  it('is done by one process at a time', async () => {
    const other = await database.pool.connect()
    await other.query('SELECT pg_advisory_lock(7402315004)')
    expect(await sweepLog(database.pool, new Date())).toBeNull()
    await other.query('SELECT pg_advisory_unlock_all()')
    other.release()
    expect(await sweepLog(database.pool, new Date())).not.toBeNull()
  })
})
