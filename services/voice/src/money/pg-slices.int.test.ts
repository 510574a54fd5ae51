import { randomUUID } from 'node:crypto'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { createPgModelRequests } from './pg-model-requests.ts'
import { createPgSlices } from './pg-slices.ts'
import type { CallRates } from './price-book.ts'
import type { NewSlice } from './slice-journal.ts'

let database: FreshDatabase
let pool: Pool
let operator: Pool
beforeAll(async () => {
  database = await freshDatabase()
  pool = connectPool({ databaseUrl: database.url, role: 'ratchet_voice', max: 2 })
  operator = connectPool({ databaseUrl: database.url, max: 1 })
})
afterAll(async () => {
  await Promise.all([pool.end(), operator.end()])
  await database.drop()
})

const time = { nanoPerMinute: 60, incrementMs: 1_000, minimumMs: 0 }
const rates: CallRates = { recognition: time, synthesisNanoPerCharacter: 2, platform: time, telephony: time }

function newSlice(): NewSlice {
  return { workspaceId: randomUUID(), callId: randomUUID(), number: 0, holdId: randomUUID(), rates, amountNano: 500n }
}

const usage = { answeredMs: 1_000, recognizedMs: 900, spokenCharacters: 7 }

it('writes what a slice has cost, which only grows, and ends it once', async () => {
  const slices = createPgSlices(pool)
  const slice = newSlice()
  await slices.open(slice)
  await slices.open({ ...slice, amountNano: 1n })
  await slices.checkpoint([{ ...slice, usage, costNano: 20n }])
  await slices.checkpoint([{ ...slice, usage: { ...usage, answeredMs: 10 }, costNano: 5n }])
  expect(await slices.of(slice)).toEqual([
    { ...slice, state: 'held', usage, costNano: 20n, chargedNano: null, updatedAt: expect.any(Date) },
  ])
  await slices.end({ ...slice, usage, costNano: 30n })
  await slices.checkpoint([{ ...slice, usage, costNano: 40n }])
  await slices.end({ ...slice, usage, costNano: 50n })
  await slices.close(slice, 'posted', 30n)
  await slices.close(slice, 'released', 0n)
  expect(await slices.of(slice)).toMatchObject([{ state: 'posted', costNano: 30n, chargedNano: 30n }])
})

it('shows slices of another workspace to nobody', async () => {
  const slices = createPgSlices(pool)
  const slice = newSlice()
  await slices.open(slice)
  const foreign = { ...slice, workspaceId: randomUUID() }
  await slices.checkpoint([{ ...foreign, usage, costNano: 20n }])
  await slices.end({ ...foreign, usage, costNano: 20n })
  await slices.close(foreign, 'posted', 20n)
  expect(await slices.of(foreign)).toEqual([])
  expect(await slices.of(slice)).toMatchObject([{ state: 'held', costNano: 0n }])
})

it('finds what was left: slices that ended, and those of which nobody writes', async () => {
  const slices = createPgSlices(pool)
  const [fresh, silent, ended, posted] = [newSlice(), newSlice(), newSlice(), newSlice()]
  for (const slice of [fresh, silent, ended, posted]) await slices.open(slice)
  for (const slice of [ended, posted]) await slices.end({ ...slice, usage, costNano: 10n })
  await slices.close(posted, 'posted', 10n)
  const older = "UPDATE call_slice SET updated_at = now() - interval '61 seconds' WHERE hold_id = ANY($1::uuid[])"
  await operator.query(older, [[silent.holdId, ended.holdId, posted.holdId]])
  const found = (await slices.unfinished(60_000, 100)).map(({ holdId }) => holdId)
  expect(new Set(found)).toEqual(new Set([silent.holdId, ended.holdId]))
})

it('keeps what requests to models cost', async () => {
  const requests = createPgModelRequests(pool)
  const call = { workspaceId: randomUUID(), callId: randomUUID() }
  const ids = [randomUUID(), randomUUID()] as const
  for (const id of [...ids, ids[0]]) await requests.add(call, id)
  await requests.price(call, new Map([[ids[0], 12n]]))
  await requests.price(call, new Map([[ids[0], 99n]]))
  const costs = (await requests.of(call)).map(({ requestId, costNano }) => [requestId, costNano] as const)
  expect(new Map(costs)).toEqual(
    new Map<string, bigint | null>([
      [ids[0], 12n],
      [ids[1], null],
    ]),
  )
  expect(await requests.of({ ...call, workspaceId: randomUUID() })).toEqual([])
})
