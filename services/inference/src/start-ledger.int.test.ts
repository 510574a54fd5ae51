import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { connectPool } from '@ratchet/db/connect-pool'
import { runStops, type Stop } from '@ratchet/service-kit/process/run-process'
import { type ChaosProxy, startChaosProxy } from '@ratchet/testing/chaos-proxy'
import { eventually } from '@ratchet/testing/eventually'
import { silentLogger } from '@ratchet/testing/silent-logger'
import { type LedgerEvent, LedgerUnavailable } from './ledger/ledger.ts'
import { type LedgerDatabase, ledgerDatabase } from './ledger/ledger-database.fixture.ts'
import { type RunningLedger, startLedger } from './start-ledger.ts'

let database: LedgerDatabase
let spillDir: string
beforeAll(async () => {
  database = await ledgerDatabase()
  spillDir = await mkdtemp(path.join(tmpdir(), 'ratchet-spill-'))
})
afterAll(async () => {
  await database.drop()
  await rm(spillDir, { recursive: true })
})

const open: { stop(): Promise<void> }[] = []
afterEach(async () => {
  for (const { stop } of open.splice(0)) await stop()
})

interface Process {
  readonly ledger: RunningLedger
  readonly proxy: ChaosProxy
  readonly events: readonly LedgerEvent[]
  /** Runs the stop handlers of the process in order. */
  stop(): Promise<void>
}

/** The ledger of one process, with a network to Postgres that the test controls. */
async function startProcess(): Promise<Process> {
  const url = new URL(database.url)
  const proxy = await startChaosProxy({ targetPort: Number(url.port), targetHost: url.hostname })
  url.host = `127.0.0.1:${proxy.port}`
  const pool = connectPool({ databaseUrl: url.href, role: 'ratchet_inference', max: 8, connectTimeoutMs: 500 })
  const stops: Stop[] = [() => proxy.stop(), () => pool.end()]
  const events: LedgerEvent[] = []
  const ledger = await startLedger({
    pool,
    redis: null,
    spillDir,
    ownerId: randomUUID(),
    logger: silentLogger,
    onStop: (stop) => stops.push(stop),
    onEvent: (event) => events.push(event),
    timing: { replayEveryMs: 50, beatEveryMs: 100, sweepEveryMs: 200, statementTimeoutMs: 500 },
  })
  const process = { ledger, proxy, events, stop: () => runStops(stops, silentLogger) }
  open.push(process)
  return process
}

const holdOf = (workspaceId: string, billingId = randomUUID()) => ({
  billingId,
  workspaceId,
  amountNano: 100n,
  kind: 'chat',
  model: 'sim/large',
  priceVersion: '1',
})

async function timed<T>(work: Promise<T>): Promise<{ ms: number; value: T }> {
  const start = performance.now()
  const value = await work
  return { ms: performance.now() - start, value }
}

/** Moves the deadline of a hold into the past. */
const expire = (billingId: string) =>
  database.operator.query("UPDATE billing_request SET deadline = now() - interval '1 s' WHERE request_id = $1", [
    billingId,
  ])

const spilled = async () => (await readdir(spillDir)).filter((name) => name.endsWith('.json'))

it('answers a hold on a Postgres that hangs with LedgerUnavailable in 300 ms, and nothing stays held', async () => {
  const { ledger, proxy } = await startProcess()
  const workspaceId = await database.newWallet(100_000n)
  await ledger.hold(holdOf(workspaceId))
  proxy.freeze()
  const holds = Array.from({ length: 300 }, () => timed(ledger.hold(holdOf(workspaceId)).catch((error) => error)))
  const answers = await Promise.all(holds)
  expect(answers.filter(({ value }) => !(value instanceof LedgerUnavailable))).toEqual([])
  expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(400)
  proxy.thaw()
  await eventually(async () => expect(await database.wallet(workspaceId)).toMatchObject({ heldNano: 100n }))
  expect(await ledger.hold(holdOf(workspaceId))).toBe('held')
})

it('refuses a hold at once when Postgres is down, and holds again when it is back', async () => {
  const { ledger, proxy } = await startProcess()
  const workspaceId = await database.newWallet(1_000n)
  await proxy.refuse()
  const { ms, value } = await timed(ledger.hold(holdOf(workspaceId)).catch((error) => error))
  expect(value).toBeInstanceOf(LedgerUnavailable)
  expect(ms).toBeLessThan(300)
  await proxy.restore()
  await eventually(async () => expect(await ledger.hold(holdOf(workspaceId))).toBe('held'))
})

it.each(['freeze', 'refuse'] as const)(
  'sends an answer within 400 ms when Postgres is unavailable (%s), and charges it later',
  async (how) => {
    const { ledger, proxy, events } = await startProcess()
    const workspaceId = await database.newWallet(1_000n)
    const hold = holdOf(workspaceId)
    await ledger.hold(hold)
    await proxy[how]()
    const { ms, value } = await timed(ledger.settle({ ...hold, costNano: 40n }))
    expect(value).toEqual({ chargedNano: 40n, committed: false })
    expect(ms).toBeLessThan(400)
    expect(await spilled()).toEqual([`${hold.billingId}.json`])
    await proxy.restore()
    await eventually(async () =>
      expect(await database.wallet(workspaceId)).toEqual({ balanceNano: 960n, heldNano: 0n }),
    )
    await eventually(async () => expect(await spilled()).toEqual([]))
    // On a slow machine it may be replayed again before its charge is known; it is charged once.
    expect([...new Set(events.map(({ kind }) => kind))]).toEqual(['spill', 'replay'])
  },
)

it('charges through another process what a dead process spilled', async () => {
  const lost = await startProcess()
  const workspaceId = await database.newWallet(1_000n)
  const hold = holdOf(workspaceId)
  await lost.ledger.hold(hold)
  lost.proxy.freeze()
  await lost.ledger.settle({ ...hold, costNano: 40n })
  await startProcess()
  await eventually(async () => expect(await database.wallet(workspaceId)).toEqual({ balanceNano: 960n, heldNano: 0n }))
  await eventually(async () => expect(await spilled()).toEqual([]))
})

it('closes what a stopped process left open at its checkpoint, without waiting for missed sweeps', async () => {
  const { ledger, stop } = await startProcess()
  const workspaceId = await database.newWallet(1_000n)
  const hold = holdOf(workspaceId)
  await ledger.hold(hold)
  ledger.checkpoint({ billingId: hold.billingId, costNano: 25n })
  await ledger.flush()
  await stop()
  await expire(hold.billingId)
  await startProcess()
  await eventually(async () => expect(await database.wallet(workspaceId)).toEqual({ balanceNano: 975n, heldNano: 0n }))
})

it('never closes the holds of a live process, whatever the number of sweeps', async () => {
  const { ledger, events } = await startProcess()
  const workspaceId = await database.newWallet(1_000n)
  const hold = holdOf(workspaceId)
  await ledger.hold(hold)
  await expire(hold.billingId)
  const orphan = holdOf(workspaceId)
  const stopped = await startProcess()
  await stopped.ledger.hold(orphan)
  await expire(orphan.billingId)
  stopped.proxy.freeze()
  await eventually(() => events.some((event) => 'billingId' in event && event.billingId === orphan.billingId))
  expect(await ledger.settle({ ...hold, costNano: 40n })).toEqual({ chargedNano: 40n, committed: true })
  expect(events.filter((event) => 'billingId' in event && event.billingId === hold.billingId)).toEqual([])
})

it('commits what it can at its stop, and leaves the rest in the spill', async () => {
  const { ledger, proxy, stop } = await startProcess()
  const workspaceId = await database.newWallet(1_000n)
  const hold = holdOf(workspaceId)
  await ledger.hold(hold)
  proxy.freeze()
  void ledger.settle({ ...hold, costNano: 40n })
  await stop()
  expect(await spilled()).toEqual([`${hold.billingId}.json`])
})

it('starts without Postgres and serves as soon as it is available', async () => {
  const url = new URL(database.url)
  const proxy = await startChaosProxy({ targetPort: Number(url.port), targetHost: url.hostname })
  await proxy.refuse()
  url.host = `127.0.0.1:${proxy.port}`
  const pool = connectPool({ databaseUrl: url.href, role: 'ratchet_inference', max: 8, connectTimeoutMs: 500 })
  const stops: Stop[] = [() => proxy.stop(), () => pool.end()]
  open.push({ stop: () => runStops(stops, silentLogger) })
  const onStop = (stop: Stop) => stops.push(stop)
  const ledger = await startLedger({ pool, redis: null, spillDir, ownerId: randomUUID(), logger: silentLogger, onStop })
  const workspaceId = await database.newWallet(1_000n)
  await expect(ledger.hold(holdOf(workspaceId))).rejects.toBeInstanceOf(LedgerUnavailable)
  await proxy.restore()
  await eventually(async () => expect(await ledger.hold(holdOf(workspaceId))).toBe('held'))
})

it('passes the audit at the end of all this', async () => {
  const { ledger } = await startProcess()
  await eventually(async () => expect(await spilled()).toEqual([]))
  expect((await ledger.audit()).violations).toEqual([])
})
