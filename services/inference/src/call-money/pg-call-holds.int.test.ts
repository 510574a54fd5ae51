import { randomUUID } from 'node:crypto'
import { auditLedger } from '@ratchet/db/audit-ledger'
import { createExactWallets } from '../ledger/exact-wallets.ts'
import type { LedgerEvent } from '../ledger/ledger.ts'
import { type LedgerDatabase, ledgerDatabase } from '../ledger/ledger-database.fixture.ts'
import { createPgEscrowStore, createPgRecalls } from '../ledger/pg-escrow-store.ts'
import { sweepLedger } from '../ledger/pg-ledger-sweeper.ts'
import type { CallHold } from './call-holds.ts'
import { createPgCallHolds } from './pg-call-holds.ts'

let database: LedgerDatabase
let events: LedgerEvent[] = []
beforeAll(async () => {
  database = await ledgerDatabase()
})
beforeEach(() => {
  events = []
})
afterEach(async () => {
  expect((await auditLedger(database.pool)).violations).toEqual([])
})
afterAll(() => database.drop())

const labels = { keyId: null, tag: 'agent_1', alias: null }

async function newCall(balanceNano = 10_000n) {
  const { pool } = database
  const exact = createExactWallets({ store: createPgRecalls({ pool }), waitMs: 2_000 })
  const holds = createPgCallHolds({ pool, exact, onEvent: (event) => events.push(event), timeoutMs: 10_000 })
  const workspaceId = await database.newWallet(balanceNano)
  const slice = (changes: Partial<CallHold> = {}): CallHold => ({
    holdId: randomUUID(),
    workspaceId,
    ownerId: randomUUID(),
    amountNano: 1_000n,
    keepMs: 30_000,
    model: 'voice/sim/readable',
    labels,
    cap: null,
    ...changes,
  })
  return { holds, workspaceId, slice }
}

async function passDeadlines(workspaceId: string): Promise<void> {
  const past =
    "UPDATE billing_request SET deadline = now() - interval '1 second' WHERE wallet_id = $1 AND state = 'open'"
  await database.operator.query(past, [workspaceId])
}

const sweep = () =>
  sweepLedger({ pool: database.pool, onEvent: (event) => events.push(event), everyMs: 0, missedSweeps: 3 })

describe('a slice of a call', () => {
  it('is held, and charged once what it cost', async () => {
    const { holds, workspaceId, slice } = await newCall()
    const held = slice()
    expect(await holds.hold(held)).toBe('held')
    expect(await database.wallet(workspaceId)).toEqual({ balanceNano: 10_000n, heldNano: 1_000n })
    expect(await holds.settle({ ...held, costNano: 400n })).toBe(400n)
    expect(await holds.settle({ ...held, costNano: 900n })).toBe(400n)
    expect(await holds.release(held)).toBe(400n)
    expect(await holds.hold(held)).toBe('closed')
    expect(await database.wallet(workspaceId)).toEqual({ balanceNano: 9_600n, heldNano: 0n })
    const usage = 'SELECT kind, model, tag, requests::int, cost::int FROM usage_hour WHERE wallet_id = $1'
    const { rows } = await database.pool.query(usage, [workspaceId])
    expect(rows).toEqual([{ kind: 'voice', model: 'voice/sim/readable', tag: 'agent_1', requests: 1, cost: 400 }])
  })

  it('costs at most its hold; the rest is written off', async () => {
    const { holds, workspaceId, slice } = await newCall()
    const held = slice()
    await holds.hold(held)
    expect(await holds.settle({ ...held, costNano: 1_200n })).toBe(1_000n)
    expect(events).toEqual([{ kind: 'write_off', billingId: held.holdId, amountNano: 200n }])
    expect(await database.wallet(workspaceId)).toEqual({ balanceNano: 9_000n, heldNano: 0n })
  })

  it('is refused when the wallet or the cap does not cover it, and then holds nothing', async () => {
    const { holds, workspaceId, slice } = await newCall(1_500n)
    expect(await holds.hold(slice())).toBe('held')
    expect(await holds.hold(slice())).toBe('refused')
    const cap = { id: randomUUID(), windowStart: new Date('2026-12-01T00:00:00Z'), capNano: 300n }
    expect(await holds.hold(slice({ amountNano: 301n, cap }))).toBe('capped')
    expect(await holds.hold(slice({ amountNano: 300n, cap }))).toBe('held')
    expect(await database.wallet(workspaceId)).toEqual({ balanceNano: 1_500n, heldNano: 1_300n })
  })

  it('gets what blocks of requests hold for nobody', async () => {
    const { holds, workspaceId, slice } = await newCall(1_000n)
    const store = createPgEscrowStore({ pool: database.pool, ownerId: randomUUID(), onEvent: () => undefined } as never)
    const blockId = randomUUID()
    await store.openBlock({ blockId, workspaceId, desiredNano: 600n, leastNano: 1n })
    const taking = holds.hold(slice())
    await store.seal([blockId])
    await store.book([blockId])
    expect(await taking).toBe('held')
  })

  it('can be released before it was taken, and then cannot be taken', async () => {
    const { holds, slice } = await newCall()
    const never = slice()
    expect(await holds.release(never)).toBe(0n)
    expect(await holds.hold(never)).toBe('closed')
  })
})

describe('a worker that holds a call', () => {
  it('keeps its slices open by checkpoints, whatever their deadline', async () => {
    const { holds, workspaceId, slice } = await newCall()
    const held = slice()
    const { ownerId } = held
    await holds.hold(held)
    for (const costNano of [100n, 250n, 200n]) {
      await holds.checkpoint({ ownerId: ownerId ?? '', keepMs: 30_000, items: [{ ...held, costNano }] })
    }
    await passDeadlines(workspaceId)
    expect(await sweep()).toBe(0)
    expect(await holds.settle({ ...held, costNano: 300n })).toBe(300n)
  })

  it('is charged its last checkpoint when it dies, and a settle by another one corrects that', async () => {
    const { holds, workspaceId, slice } = await newCall()
    const held = slice()
    await holds.hold(held)
    await holds.checkpoint({ ownerId: held.ownerId ?? '', keepMs: 30_000, items: [{ ...held, costNano: 250n }] })
    await passDeadlines(workspaceId)
    let swept = 0
    for (let time = 0; time < 4; time += 1) swept += await sweep()
    expect(swept).toBe(1)
    expect(await database.wallet(workspaceId)).toEqual({ balanceNano: 9_750n, heldNano: 0n })
    expect(await holds.settle({ ...held, costNano: 280n })).toBe(280n)
    expect(await holds.settle({ ...held, costNano: 280n })).toBe(280n)
    expect(await database.wallet(workspaceId)).toEqual({ balanceNano: 9_720n, heldNano: 0n })
    expect(events.map(({ kind }) => kind)).toEqual(['orphaned_hold', 'late_post'])
  })

  it('takes over what was held before it', async () => {
    const { holds, workspaceId, slice } = await newCall()
    const before = slice({ ownerId: null, keepMs: 60_000 })
    const worker = randomUUID()
    await holds.hold(before)
    await holds.checkpoint({ ownerId: worker, keepMs: 30_000, items: [] })
    expect(await holds.hold({ ...before, ownerId: worker })).toBe('held')
    await passDeadlines(workspaceId)
    expect(await sweep()).toBe(0)
    expect(await database.wallet(workspaceId)).toEqual({ balanceNano: 10_000n, heldNano: 1_000n })
    await holds.release(before)
  })

  it('finds that nobody took the call, and its hold was given back', async () => {
    const { holds, workspaceId, slice } = await newCall()
    const before = slice({ ownerId: null })
    await holds.hold(before)
    await passDeadlines(workspaceId)
    expect(await sweep()).toBe(1)
    expect(await holds.hold({ ...before, ownerId: randomUUID() })).toBe('closed')
    expect(await database.wallet(workspaceId)).toEqual({ balanceNano: 10_000n, heldNano: 0n })
  })
})

it('tells what requests of the workspace cost, and of no other', async () => {
  const [mine, other] = [await newCall(), await newCall()]
  const [done, running, foreign] = [mine.slice(), mine.slice(), other.slice()]
  for (const held of [done, running, foreign]) await mine.holds.hold(held)
  await mine.holds.settle({ ...done, costNano: 7n })
  const asked = [done, running, foreign].map(({ holdId }) => holdId)
  const charges = await mine.holds.charges(mine.workspaceId, [...asked, randomUUID()])
  expect(new Map(charges.map(({ requestId, costNano }) => [requestId, costNano]))).toEqual(
    new Map([
      [done.holdId, 7n],
      [running.holdId, null],
    ]),
  )
})

it('holds each once when every call is repeated at the same time', async () => {
  const { holds, workspaceId, slice } = await newCall(10_000n)
  const slices = Array.from({ length: 12 }, () => slice())
  const outcomes = await Promise.all(slices.flatMap((held) => [holds.hold(held), holds.hold(held)]))
  expect(outcomes.filter((outcome) => outcome === 'held')).toHaveLength(20)
  expect(await database.wallet(workspaceId)).toEqual({ balanceNano: 10_000n, heldNano: 10_000n })
  const settled = await Promise.all(
    slices.flatMap((held) => [holds.settle({ ...held, costNano: 10n }), holds.settle({ ...held, costNano: 10n })]),
  )
  expect(settled.reduce((sum, nano) => sum + nano, 0n)).toBe(200n)
  expect(await database.wallet(workspaceId)).toEqual({ balanceNano: 9_900n, heldNano: 0n })
})
