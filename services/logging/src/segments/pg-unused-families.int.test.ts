import { eventually } from '@ratchet/testing/eventually'
import { type LogDatabase, logDatabase, unsegmented } from '../exchanges/log-database.fixture.ts'
import { createPgExchanges } from '../exchanges/pg-exchanges.ts'
import { createPgExchangeReads } from '../logs/pg-exchange-reads.ts'
import { inlineSkeletons } from './inline-skeletons.fixture.ts'
import { removeUnusedNames, rewriteUnusedNames } from './pg-unused-families.ts'

const workspaceId = '00000000-0000-7000-8000-00000000d001'
const ill = 'You treat a patient who suffers from acute porphyria. Be kind and never name a drug.'
const other = 'You answer questions about invoices of our customers. Be brief and polite to everyone.'

let database: LogDatabase
let log: ReturnType<typeof createPgExchanges>
let stored = 0
beforeEach(async () => {
  database = await logDatabase()
  await database.addWorkspace(workspaceId, 30)
  const newBlockId = () => crypto.randomUUID()
  log = createPgExchanges({ pool: database.pool, newBlockId, skeletons: inlineSkeletons })
}, 60_000)
afterEach(() => database.drop())

async function store(system: string): Promise<string> {
  stored += 1
  const exchange = unsegmented(stored, { workspaceId, system })
  await log.write([exchange])
  return exchange.id
}

const remove = (id: string) => createPgExchangeReads(database.pool).delete({ workspaceId, at: new Date() }, id)

async function names(): Promise<readonly string[]> {
  const { rows } = await database.operator.query<{ label: string }>(
    'SELECT label FROM segment_family ORDER BY founding',
  )
  return rows.map(({ label }) => label)
}

async function tokensStored(): Promise<readonly boolean[]> {
  const { rows } = await database.operator.query<{ state: string }>(
    'SELECT state FROM segment_family ORDER BY founding',
  )
  return rows.map(({ state }) => ['lines', 'parts'].some((key) => Object.hasOwn(JSON.parse(state), key)))
}

/** The file of the table, and whether it contains the text. */
async function fileWith(text: string): Promise<boolean> {
  await database.operator.query('CHECKPOINT')
  const { rows } = await database.operator.query<{ found: boolean }>(
    "SELECT position($1::bytea IN pg_read_binary_file(pg_relation_filepath('segment_family'))) > 0 AS found",
    [Buffer.from(text)],
  )
  return rows[0]?.found === true
}

it('removes the name of a family and the tokens of its words with its last exchange, from the file too', async () => {
  const ids = [await store(ill), await store(ill)]
  await store(other)
  const [name = '', kept] = await names()
  expect(name).toContain('porphyria')
  await remove(ids[0] ?? '')
  await removeUnusedNames(database.pool)
  expect(await names()).toEqual([name, kept])
  await remove(ids[1] ?? '')
  await removeUnusedNames(database.pool)
  expect(await names()).toEqual(['', kept])
  expect(await tokensStored()).toEqual([false, true])
  expect(await fileWith('porphyria')).toBe(true)
  expect(await rewriteUnusedNames(database.pool, new Date(Date.now() - 60_000))).toBe(false)
  // The database may analyse tables at this moment, which reads what was removed.
  await eventually(async () => expect(await rewriteUnusedNames(database.pool, new Date(Date.now() + 1_000))).toBe(true))
  expect(await fileWith('porphyria')).toBe(false)
  expect(await fileWith('invoices')).toBe(true)
  expect(await rewriteUnusedNames(database.pool, new Date(Date.now() + 1_000))).toBe(false)
})

it('gives the family its name again with the next prompt, also where the prompt is remembered', async () => {
  const id = await store(ill)
  const before = await names()
  await remove(id)
  await removeUnusedNames(database.pool)
  await store(ill)
  expect(await names()).toEqual(before)
})

it('keeps the name of a family that has an exchange again', async () => {
  const id = await store(ill)
  const before = await names()
  await remove(id)
  await store(ill)
  await removeUnusedNames(database.pool)
  expect(await names()).toEqual(before)
})

it('tries again while an older transaction may read the name, and leaves nothing of it then', async () => {
  const id = await store(ill)
  await store(other)
  const backup = await database.operator.connect()
  try {
    await backup.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
    await backup.query('SELECT 1')
    await remove(id)
    await removeUnusedNames(database.pool)
    const soon = () => new Date(Date.now() + 1_000)
    expect(await rewriteUnusedNames(database.pool, soon())).toBe(false)
    expect(await fileWith('porphyria')).toBe(true)
    await backup.query('COMMIT')
    await eventually(async () => expect(await rewriteUnusedNames(database.pool, soon())).toBe(true))
    expect(await fileWith('porphyria')).toBe(false)
  } finally {
    backup.release()
  }
})
