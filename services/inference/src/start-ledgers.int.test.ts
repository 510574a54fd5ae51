import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { auditLedger } from '@ratchet/db/audit-ledger'
import { connectPool } from '@ratchet/db/connect-pool'
import { migrate } from '@ratchet/db/migrate'
import { runStops, type Stop } from '@ratchet/service-kit/process/run-process'
import { uuidV7 } from '@ratchet/service-kit/values/ids'
import { eventually } from '@ratchet/testing/eventually'
import { freshDatabase } from '@ratchet/testing/fresh-database'
import { silentLogger } from '@ratchet/testing/silent-logger'
import { type PostgresServer, startPostgresServer } from '../crash/postgres-server.ts'
import { type Hold, type HoldOutcome, type Ledger, type LedgerEvent, LedgerUnavailable } from './ledger/ledger.ts'
import { addWorkspace } from './ledger/ledger-database.fixture.ts'
import { type LedgerPair, ledgerPair, otherLedger } from './ledger/ledger-pair.fixture.ts'
import type { Wallets } from './ledger/sharded-wallets.ts'
import { ledgerDatabase, startLedgers } from './start-ledgers.ts'

/** Two servers: the main database is on that of the test run, the other ledger on one of its own. */
let server: PostgresServer
let pair: LedgerPair
let spillDir: string
beforeAll(async () => {
  server = await startPostgresServer()
  const second = { url: server.url('postgres'), drop: () => server.remove() }
  await migrate(second.url)
  pair = await ledgerPair({ second })
  spillDir = await mkdtemp(path.join(tmpdir(), 'ratchet-spill-'))
}, 120_000)
afterAll(async () => {
  await pair.drop()
  await rm(spillDir, { recursive: true })
})

const open: Process[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map(({ stop }) => stop()))
})

interface Process {
  readonly ledger: Ledger
  readonly wallets: Wallets
  readonly events: readonly LedgerEvent[]
  stop(): Promise<void>
}

const bothUrls = () => new Map([[otherLedger, server.url('postgres')]])

/** The ledgers of one process, with these databases beside the main one. */
async function startProcess(urls: ReadonlyMap<string, string> = bothUrls()): Promise<Process> {
  const stops: Stop[] = []
  const events: LedgerEvent[] = []
  const mainPool = connectPool({ databaseUrl: pair.main.url, ...ledgerDatabase })
  stops.push(() => mainPool.end())
  const started = await startLedgers({
    config: {
      DATABASE_URL: pair.main.url,
      LEDGER_DATABASE_URLS: urls,
      DATABASE_SILENCE_MS: 5_000,
      SPILL_DIR: spillDir,
    },
    logger: silentLogger,
    lifecycle: { onStop: (stop) => stops.push(stop) },
    events: { ledger: (event) => events.push(event), audited() {}, auditFailed() {}, showLedger() {} },
    mainPool,
    now: () => new Date(),
    redis: null,
    ownerId: randomUUID(),
    timing: { replayEveryMs: 50, beatEveryMs: 100, sweepEveryMs: 200 },
  })
  const process = { ...started, events, stop: () => runStops(stops, silentLogger) }
  open.push(process)
  return process
}

function holdOf(workspaceId: string, amountNano = 100n): Hold {
  const priced = { kind: 'chat', model: 'sim/large', priceVersion: '1' }
  return { billingId: uuidV7(Date.now()), workspaceId, amountNano, isUnique: true, ...priced }
}

const closed = async () => {
  const audits = await Promise.all([auditLedger(pair.main.operator), auditLedger(pair.other.operator, otherLedger)])
  expect(audits.flatMap(({ violations }) => violations)).toEqual([])
  expect(audits.map(({ heldNano }) => heldNano)).toEqual([0n, 0n])
}

async function wallets(balanceNano: bigint): Promise<{ readonly inMain: string; readonly inOther: string }> {
  const ids = [await pair.newWallet(balanceNano), await pair.newWallet(balanceNano)]
  const [inOther = ''] = ids.filter((id) => pair.of(id) === pair.other)
  return { inMain: ids.find((id) => id !== inOther) ?? '', inOther }
}

it('takes, charges and releases in the ledger of the workspace, and in no other', async () => {
  const { ledger, wallets: read } = await startProcess()
  const { inMain, inOther } = await wallets(100_000n)
  for (const workspaceId of [inMain, inOther]) {
    const [settled, released, long] = [holdOf(workspaceId), holdOf(workspaceId), holdOf(workspaceId)]
    for (const hold of [settled, released, long]) expect(await ledger.hold(hold)).toBe('held')
    ledger.checkpoint({ billingId: long.billingId, costNano: 25n })
    await ledger.flush()
    const text = 'SELECT checkpoint FROM billing_request WHERE request_id = $1'
    await eventually(async () =>
      expect((await pair.of(workspaceId).operator.query(text, [long.billingId])).rows).toEqual([{ checkpoint: '25' }]),
    )
    expect(await ledger.settle({ ...settled, costNano: 40n })).toEqual({ chargedNano: 40n, committed: true })
    await ledger.release(released.billingId, workspaceId)
    await ledger.settle({ ...long, costNano: 60n })
    expect(await read.read(workspaceId)).toEqual({ balanceNano: 99_900n, heldNano: 0n })
  }
  const text = 'SELECT count(*)::int AS count FROM ledger_request WHERE wallet_id = $1'
  const strays = [await pair.main.operator.query(text, [inOther]), await pair.other.operator.query(text, [inMain])]
  expect(strays.map(({ rows }) => rows[0].count)).toEqual([0, 0])
  await closed()
})

it('refuses exactly what a wallet does not cover, in each ledger, with three processes', async () => {
  const processes = await Promise.all([startProcess(), startProcess(), startProcess()])
  const { inMain, inOther } = await wallets(1_000n)
  const holds = Array.from({ length: 90 }, (_, index) => holdOf(index % 2 === 0 ? inMain : inOther))
  const outcomes = await Promise.all(
    holds.map(async (hold, index) => {
      const ledger = processes[index % processes.length]?.ledger
      return { hold, ledger, outcome: await ledger?.hold(hold) }
    }),
  )
  for (const workspaceId of [inMain, inOther]) {
    const own = outcomes.filter(({ hold }) => hold.workspaceId === workspaceId)
    const count = (expected: HoldOutcome) => own.filter(({ outcome }) => outcome === expected).length
    expect([count('held'), count('refused')]).toEqual([10, 35])
  }
  const held = outcomes.filter(({ outcome }) => outcome === 'held')
  await Promise.all(held.map(({ hold, ledger }) => ledger?.settle({ ...hold, costNano: 100n })))
  await Promise.all(open.splice(0).map(({ stop }) => stop()))
  for (const id of [inMain, inOther]) {
    expect(await pair.of(id).wallet(id)).toEqual({ balanceNano: 0n, heldNano: 0n })
  }
  await closed()
})

it('fails holds of one ledger only while its server is stopped, and charges later what was answered meanwhile', async () => {
  const { ledger, wallets: read, stop } = await startProcess()
  const { inMain, inOther } = await wallets(100_000n)
  const running = holdOf(inOther)
  expect(await ledger.hold(running)).toBe('held')
  await server.crash()
  await expect(ledger.hold(holdOf(inOther))).rejects.toBeInstanceOf(LedgerUnavailable)
  await expect(read.read(inOther)).rejects.toMatchObject({ code: 'service_unavailable' })
  const inTheMeantime = holdOf(inMain)
  expect(await ledger.hold(inTheMeantime)).toBe('held')
  expect(await ledger.settle({ ...inTheMeantime, costNano: 40n })).toEqual({ chargedNano: 40n, committed: true })
  expect(await ledger.settle({ ...running, costNano: 30n })).toEqual({ chargedNano: 30n, committed: false })
  expect(await readdir(path.join(spillDir, otherLedger))).toHaveLength(1)
  await server.start()
  const after = holdOf(inOther)
  await eventually(async () => expect(await ledger.hold(after)).toBe('held'))
  await ledger.settle({ ...after, costNano: 1n })
  await eventually(async () => expect(await readdir(path.join(spillDir, otherLedger))).toEqual([]))
  await stop()
  expect(await pair.other.wallet(inOther)).toEqual({ balanceNano: 99_969n, heldNano: 0n })
  await closed()
}, 60_000)

it('does not refuse workspaces of a ledger that the process does not have, nor read what waits for it', async () => {
  const { inOther } = await wallets(1_000n)
  const { ledger, wallets: read } = await startProcess(new Map())
  await expect(ledger.hold(holdOf(inOther))).rejects.toBeInstanceOf(LedgerUnavailable)
  await expect(read.read(inOther)).rejects.toMatchObject({ code: 'service_unavailable' })
})

it('does not refuse workspaces when it is connected to the database of another ledger', async () => {
  const { inMain, inOther } = await wallets(1_000n)
  const wrong = await freshDatabase()
  const { ledger, wallets: read, stop } = await startProcess(new Map([[otherLedger, wrong.url]]))
  await expect(ledger.hold(holdOf(inOther))).rejects.toBeInstanceOf(LedgerUnavailable)
  await expect(read.read(inOther)).rejects.toMatchObject({ code: 'service_unavailable' })
  expect(await ledger.hold(holdOf(inMain, 1_001n))).toBe('refused')
  await stop()
  await wrong.drop()
  await expect(startProcess(new Map([[otherLedger, pair.main.url]]))).rejects.toBeInstanceOf(RangeError)
})

it('fails holds of a workspace whose ledger has no database in this process', async () => {
  const workspaceId = randomUUID()
  await addWorkspace(pair.main.operator, workspaceId, 'c')
  const { ledger } = await startProcess()
  await expect(ledger.hold(holdOf(workspaceId))).rejects.toBeInstanceOf(LedgerUnavailable)
})
