import { decodeBlock } from '@ratchet/db/content-block'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import { storedExchanges } from '@ratchet/testing/stored-exchanges'
import { createPgExchangeReads } from '../logs/pg-exchange-reads.ts'
import { createPgExchangeRetention } from '../retention/pg-exchange-retention.ts'
import { sweepLog } from '../retention/pg-retention.ts'
import { inlineSkeletons } from '../segments/inline-skeletons.fixture.ts'
import { type LogDatabase, logDatabase, unsegmented } from './log-database.fixture.ts'
import { storeExchanges } from './logged-exchanges.fixture.ts'
import { createPgExchanges } from './pg-exchanges.ts'

const at = new Date()
const [workspaceId, other] = ['00000000-0000-7000-8000-00000000c001', '00000000-0000-7000-8000-00000000c002'] as const
const scope = { workspaceId, at }

let database: LogDatabase
beforeAll(async () => {
  database = await logDatabase()
}, 60_000)
afterAll(() => database.drop())
beforeEach(() => database.pool.query('DELETE FROM exchange_block; DELETE FROM exchange_content; DELETE FROM exchange'))

const reads = () => createPgExchangeReads(database.pool)
const said = (text: string) => ({ content: { messages: JSON.stringify([{ role: 'user', content: text }]) } })

interface StoredBlock {
  readonly workspace_id: string
  readonly exchanges: number
  readonly content: Buffer
}

/** The ids that each block has contents of. */
async function blocks() {
  const { rows } = await database.operator.query<StoredBlock>('SELECT * FROM exchange_block ORDER BY id')
  return rows.map(({ workspace_id: owner, exchanges, content }) => {
    const ids = decodeBlock(content).map(({ id }) => id)
    expect(exchanges).toBe(ids.length)
    return { owner, ids }
  })
}

async function readableIds(): Promise<readonly string[]> {
  const rows = await storedExchanges<{ id: string }>(database.operator, 'true')
  return rows.flatMap(({ id, messages }) => (messages === null ? [] : [id])).toSorted()
}

it('stores contents of one workspace and one day of expiry together', async () => {
  const soon = { expiresAt: new Date(at.getTime() + dayMs) }
  const ids = await storeExchanges(database.pool, scope, [{}, {}, { workspaceId: other }, soon])
  const stored = await blocks()
  expect(stored.map(({ owner, ids: members }) => [owner, members.length]).toSorted()).toEqual([
    [workspaceId, 1],
    [workspaceId, 2],
    [other, 1],
  ])
  expect(await readableIds()).toEqual(ids.toSorted())
})

it('removes the content of a deleted exchange from its block, and the block with the last one', async () => {
  const [first = '', second = ''] = await storeExchanges(database.pool, scope, [said('a secret'), said('kept')])
  expect(await reads().delete(scope, first)).toBe(true)
  expect(await blocks()).toEqual([{ owner: workspaceId, ids: [second] }])
  const row = await reads().get(scope, second)
  const contents = await reads().contents(scope, row === null ? [] : [row])
  expect(contents.get(second)?.messages).toContain('kept')
  expect(await reads().delete(scope, second)).toBe(true)
  expect(await blocks()).toEqual([])
})

it('loses no removal when exchanges of one block are deleted at once', async () => {
  const ids = await storeExchanges(
    database.pool,
    scope,
    Array.from({ length: 30 }, () => ({})),
  )
  const [removed, left] = [ids.slice(0, 20), ids.slice(20)]
  await Promise.all(removed.map((id) => reads().delete(scope, id)))
  const stored = await blocks()
  expect(stored.flatMap((block) => block.ids).toSorted()).toEqual(left.toSorted())
  await Promise.all(left.map((id) => reads().delete(scope, id)))
  expect(await blocks()).toEqual([])
})

it('stores no content of an exchange that is stored already', async () => {
  const log = createPgExchanges({
    pool: database.pool,
    newBlockId: () => crypto.randomUUID(),
    skeletons: inlineSkeletons,
  })
  expect(await log.write([unsegmented(1), unsegmented(2)])).toBe(2)
  expect(await log.write([unsegmented(2), unsegmented(3)])).toBe(1)
  expect(await log.write([unsegmented(1), unsegmented(3)])).toBe(0)
  const stored = await blocks()
  expect(stored.map(({ ids }) => ids.length).toSorted()).toEqual([1, 2])
  expect(await readableIds()).toHaveLength(3)
})

it('reads and deletes contents that have their own rows, beside those in blocks', async () => {
  const [own = ''] = await storeExchanges(database.pool, scope, [said('alone')], { isInBlocks: false })
  const [inBlock = ''] = await storeExchanges(database.pool, scope, [said('together')])
  const found = await Promise.all([own, inBlock].map((id) => reads().get(scope, id)))
  const contents = await reads().contents(
    scope,
    found.filter((each) => each !== null),
  )
  expect([own, inBlock].map((id) => contents.get(id)?.messages)).toEqual([
    expect.stringContaining('alone'),
    expect.stringContaining('together'),
  ])
  expect(await reads().delete(scope, own)).toBe(true)
  const { rows } = await database.operator.query('SELECT id FROM exchange_content')
  expect(rows).toEqual([])
  expect(await readableIds()).toEqual([inBlock])
})

it('moves contents to the days on which their exchanges expire after a shortened retention', async () => {
  await database.addWorkspace(workspaceId, 7)
  const expiresAt = new Date(at.getTime() + 30 * dayMs)
  const fields = [1, 1, 2, 3].map((days) => ({ expiresAt, createdAt: new Date(at.getTime() - days * dayMs) }))
  const ids = await storeExchanges(database.pool, scope, fields)
  expect(await blocks()).toHaveLength(1)
  expect(await sweepLog(database.pool, createPgExchangeRetention(database.pool), at)).toMatchObject({
    shortenedRows: 4,
  })
  const stored = await blocks()
  expect(stored.map((block) => block.ids.length).toSorted()).toEqual([1, 1, 2])
  expect(await readableIds()).toEqual(ids.toSorted())
  await Promise.all(ids.map((id) => reads().delete(scope, id)))
  expect(await blocks()).toEqual([])
})
