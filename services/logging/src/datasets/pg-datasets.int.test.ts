import { randomUUID } from 'node:crypto'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { createPgFiles } from '../files/pg-files.ts'
import { builtAtOnce, type NewDataset, type StoredExample } from './dataset.ts'
import { createPgDatasets } from './pg-datasets.ts'

let database: FreshDatabase
let pool: Pool
let operator: Pool
beforeAll(async () => {
  database = await freshDatabase()
  pool = connectPool({ databaseUrl: database.url, role: 'ratchet_logging', max: 2 })
  operator = connectPool({ databaseUrl: database.url, max: 1 })
})
afterAll(async () => {
  for (const each of [pool, operator]) await each.end()
  await database.drop()
})

const at = new Date('2026-03-01T00:00:00Z')

function newDataset(changes: Partial<NewDataset> = {}): NewDataset {
  const id = randomUUID()
  return {
    id,
    workspaceId: randomUUID(),
    name: 'n',
    description: null,
    kind: 'train',
    source: 'logs',
    format: 'chat',
    filters: { tag: 't' },
    criterionId: null,
    holdoutPct: 10,
    createdBy: randomUUID(),
    createdAt: at,
    ...changes,
  }
}

const example = (position: number): StoredExample => ({
  position,
  line: `{"n":${position}}`,
  sha256: `${position}`,
  sourceExchangeId: null,
  foldedTurns: position,
})
const content = ({ id, name, description }: NewDataset) => ({
  id,
  name,
  description,
  siblingId: null,
  segments: ['s'],
  exampleCount: 2,
  tokenCountEstimate: 5_000_000_000,
  sizeBytes: 5_000_000_000,
  sha256: 'abc',
})

it('shows a dataset only after it is frozen, and then completely', async () => {
  const store = createPgDatasets(pool)
  const dataset = newDataset()
  await store.begin(dataset)
  await store.append(dataset, [example(0), example(1)])
  expect(await store.get(dataset)).toBeNull()
  expect((await store.list({ workspaceId: dataset.workspaceId, limit: 10, offset: 0 })).total).toBe(0)
  await store.freeze(dataset, [content(dataset)], at)
  expect(await store.get(dataset)).toEqual({ ...dataset, ...content(dataset), building: builtAtOnce })
  expect(await store.list({ workspaceId: dataset.workspaceId, segment: 's', limit: 10, offset: 0 })).toMatchObject({
    total: 1,
  })
  expect(await store.examples(dataset, { offset: 1, limit: 5 })).toEqual([example(1)])
})

it('does not let even the operator change a frozen dataset', async () => {
  const store = createPgDatasets(pool)
  const dataset = newDataset()
  await store.begin(dataset)
  await store.append(dataset, [example(0)])
  await store.freeze(dataset, [content(dataset)], at)
  await expect(store.append(dataset, [example(1)])).rejects.toMatchObject({ code: '23000' })
  await expect(store.freeze(dataset, [{ ...content(dataset), sha256: 'other' }], at)).rejects.toMatchObject({
    code: '23000',
  })
  const change = operator.query('UPDATE dataset SET example_count = 9 WHERE id = $1', [dataset.id])
  await expect(change).rejects.toMatchObject({ code: '23000' })
  expect(await store.rename(dataset, { name: 'm' })).toBe(true)
  expect(await store.get(dataset)).toMatchObject({ name: 'm', description: null, sha256: 'abc' })
})

it('deletes a dataset with its examples', async () => {
  const store = createPgDatasets(pool)
  const dataset = newDataset()
  await store.begin(dataset)
  await store.append(dataset, [example(0)])
  expect(await store.delete({ ...dataset, workspaceId: randomUUID() })).toBe(false)
  expect(await store.delete(dataset)).toBe(true)
  expect(await store.examples(dataset, { offset: 0, limit: 5 })).toEqual([])
})

it('answers service_unavailable when the database is unavailable', async () => {
  const nowhere = connectPool({ databaseUrl: 'postgres://nobody@127.0.0.1:1/none', connectTimeoutMs: 500 })
  await expect(createPgDatasets(nowhere).get(newDataset())).rejects.toMatchObject({ code: 'service_unavailable' })
  await expect(createPgFiles(nowhere).get(newDataset())).rejects.toMatchObject({ code: 'service_unavailable' })
  await nowhere.end()
})
