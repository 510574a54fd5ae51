import { randomUUID } from 'node:crypto'
import { auditDedicated } from '@ratchet/db/audit-dedicated'
import { auditLedger } from '@ratchet/db/audit-ledger'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { seededRandom } from '@ratchet/testing/seeded-random'
import { type LedgerProcess, startLedgerProcess } from '../money/ledger-process.fixture.ts'
import { reportTraffic, usualEndpoint } from './dedicated-run.fixture.ts'
import type { DedicatedEndpoint, EndpointStore } from './endpoint.ts'
import { type MortalWorker, mortalWorker } from './mortal-worker.fixture.ts'
import { createPgEndpoints } from './pg-endpoints.ts'
import { replaceClock } from './replaced-clock.fixture.ts'
import { windowId } from './window-hold.ts'
import { windowHoldNano, windowMs, windowOf } from './windows.ts'

/* Fifty endpoints of ten workspaces with a hundred replicas, two hours of a clock that is set forward, and a real ledger. */

const workspaceCount = 10
const endpointsOfEach = 5
const steps = 22
/** Prices of an hour that no number of milliseconds divides. */
const prices = [3_600_000_000n, 1_234_567_891n, 999_999_937n, 7n, 40_000_000_003n]
/** The first workspace has little: it is used up. */
const creditOf = (index: number) => (index === 0 ? 4_000_000_000n : 10n ** 13n)
const hardware = ['sim-a', 'sim-b', 'sim-c', 'sim-d']

let database: FreshDatabase
let operator: Pool
let pool: Pool
let ledger: LedgerProcess
let endpoints: EndpointStore
let created: readonly DedicatedEndpoint[]
let workers: MortalWorker[] = []
const random = seededRandom(20)
const seen = { kills: 0, engines: 0, mostReplicas: 0, states: new Set<string>() }

const indexBelow = (count: number) => Math.floor(random() * count)
const startWorker = (of: string) =>
  mortalWorker({ databaseUrl: database.url, money: ledger.money, slots: new Map([[of, 60]]), random })

beforeAll(async () => {
  database = await freshDatabase()
  await replaceClock(database.url)
  operator = connectPool({ databaseUrl: database.url, max: 4 })
  pool = connectPool({ databaseUrl: database.url, role: 'ratchet_training', max: 4 })
  ledger = await startLedgerProcess(database.url)
  endpoints = createPgEndpoints(pool)
  workers = hardware.map(startWorker)
}, 60_000)
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.close()))
  await ledger?.stop()
  await Promise.all([pool.end(), operator.end()])
  await database.drop()
})

async function create(workspaceId: string, index: number): Promise<DedicatedEndpoint> {
  const id = randomUUID()
  const priceNanoPerHour = prices[index % prices.length] ?? 1n
  const endpoint = await endpoints.create({
    ...usualEndpoint,
    id,
    workspaceId,
    routingKey: `scale-${id.slice(0, 8)}`,
    hardware: hardware[index % hardware.length] ?? '',
    priceNanoPerHour,
    minReplicas: index % 3 === 0 ? 2 : 0,
    scaleToZeroAfterS: 300 + 60 * (index % 4),
    maxHourlyCostNano: index % 7 === 0 ? 7n * windowHoldNano(priceNanoPerHour) : null,
  })
  if (endpoint === null) throw new Error('It was created before.')
  return endpoint
}

async function jump(seconds: number): Promise<void> {
  await operator.query('UPDATE clock.jump SET ms = ms + $1', [Math.round(seconds * 1_000)])
}

/** What workers do in a second. Those that were killed are replaced. */
async function pass(): Promise<void> {
  await Promise.all(workers.map((worker) => worker.reconcile()))
  await Promise.all(workers.map((worker) => worker.drive()))
  for (const [index, worker] of workers.entries()) {
    if (!worker.isDead()) continue
    seen.kills += 1
    await worker.close()
    workers[index] = startWorker(hardware[index] ?? '')
  }
}

async function disturb(step: number): Promise<void> {
  for (const { engines } of workers) {
    engines.script(random() < 0.1 ? 'exits' : 'runs')
    const names = [...engines.started.keys()]
    const victim = names[indexBelow(names.length)]
    if (victim === undefined || random() < 0.6) continue
    seen.engines += 1
    await engines.stop(victim, 'now')
  }
  if (step % 2 === 0) workers[indexBelow(workers.length)]?.killAfter(indexBelow(80))
  for (const endpoint of created) {
    const luck = random()
    if (luck < 0.02) await endpoints.stop(endpoint, 'user')
    else if (luck < 0.12) await endpoints.start(endpoint)
  }
}

/** Requests at some endpoints: enough for two replicas, or one that waits; at first at all of them. */
async function ask(step: number): Promise<void> {
  for (const [index, endpoint] of created.entries()) {
    const isBusy = step < 4 || (index + Math.floor(step / 8)) % 3 === 0
    if (isBusy) await reportTraffic(operator, endpoint, { running: 4, waiting: 1 })
  }
}

async function look(): Promise<void> {
  const { rows } = await operator.query(
    `SELECT (SELECT count(*)::int FROM replica WHERE state = 'ready') AS ready, array_agg(DISTINCT state) AS states
     FROM dedicated_endpoint`,
  )
  seen.mostReplicas = Math.max(seen.mostReplicas, rows[0].ready)
  for (const state of rows[0].states) seen.states.add(state)
}

/** Milliseconds in which a replica was ready, by the number of the window: of the intervals alone. */
async function readyTimes(): Promise<Map<string, Charge>> {
  const { rows } = await operator.query<IntervalRow>(
    `SELECT i.replica_id AS id, r.endpoint_id, r.price_nano_per_hour::text AS price,
       1000 * extract(epoch FROM i.from_at) AS from_ms, 1000 * extract(epoch FROM i.to_at) AS to_ms
     FROM replica_interval i JOIN replica r ON r.id = i.replica_id`,
  )
  const times = new Map<string, Charge>()
  for (const { id, endpoint_id: endpointId, price, from_ms, to_ms } of rows) {
    const [fromMs, toMs] = [Number(from_ms), Number(to_ms)]
    for (let number = windowOf(new Date(fromMs)); number * windowMs < toMs; number += 1) {
      const ms = Math.min(toMs, (number + 1) * windowMs) - Math.max(fromMs, number * windowMs)
      const key = windowId({ replicaId: id, number })
      const before = times.get(key)?.ms ?? 0
      times.set(key, { endpointId, number, ms: before + ms, price: BigInt(price) })
    }
  }
  return times
}

interface IntervalRow {
  readonly id: string
  readonly endpoint_id: string
  readonly price: string
  readonly from_ms: string
  readonly to_ms: string
}

interface Charge {
  readonly endpointId: string
  readonly number: number
  readonly ms: number
  readonly price: bigint
}

/** Whole micro-dollars, rounded up once. */
function costOf({ ms, price }: Charge): bigint {
  const exact = BigInt(Math.round(ms)) * price
  return ((exact + 3_600_000_000n - 1n) / 3_600_000_000n) * 1_000n
}

async function ledgerCharges(): Promise<Map<string, bigint>> {
  const { rows } = await operator.query(
    `SELECT job_id AS id, count(*)::int AS charges, sum(cost)::text AS cost FROM billing_request
     WHERE kind = 'dedicated' AND job_id IS NOT NULL GROUP BY job_id`,
  )
  expect(rows.filter(({ charges }) => charges > 1)).toEqual([])
  return new Map(rows.filter(({ cost }) => cost !== '0').map(({ id, cost }) => [id, BigInt(cost)]))
}

const sum = (values: Iterable<bigint>) => [...values].reduce((total, each) => total + each, 0n)

/** Windows in which a replica still finished requests when its wallet had nothing left: nobody pays them. */
async function unpaidWindows(emptied: string): Promise<ReadonlySet<string>> {
  const { rows } = await operator.query(`SELECT id, workspace_id FROM replica_window WHERE ready_ms > 0 AND NOT taken`)
  expect(rows.filter(({ workspace_id: id }) => id !== emptied)).toEqual([])
  return new Set(rows.map(({ id }) => id))
}

/** Wallets were charged for ready seconds, window by window, once each, and hold nothing. */
async function requireExactCharges(ready: ReadonlyMap<string, Charge>, workspaceIds: readonly string[]): Promise<void> {
  const charged = await ledgerCharges()
  const unpaid = await unpaidWindows(workspaceIds[0] ?? '')
  const due = new Map([...ready].map(([id, charge]) => [id, unpaid.has(id) ? 0n : costOf(charge)]))
  expect([...charged].filter(([id, cost]) => due.get(id) !== cost)).toEqual([])
  expect([...due].filter(([id, cost]) => (charged.get(id) ?? 0n) !== cost)).toEqual([])
  const { rows: wallets } = await operator.query('SELECT workspace_id AS id, balance, held FROM wallet')
  const paid = wallets.map(({ id, balance }) => creditOf(workspaceIds.indexOf(id)) - BigInt(balance))
  expect(sum(paid)).toBe(sum(due.values()))
  expect(wallets.filter(({ balance, held }) => BigInt(balance) < 0n || held !== '0')).toEqual([])
  expect(charged.size).toBeGreaterThan(200)
}

/** No twelve windows in a row cost more than the endpoint may in an hour. */
function requireCaps(ready: ReadonlyMap<string, Charge>): void {
  for (const { id, maxHourlyCostNano } of created) {
    if (maxHourlyCostNano === null) continue
    const own = [...ready.values()].filter(({ endpointId }) => endpointId === id)
    for (const { number } of own) {
      const hour = own.filter((other) => other.number > number - 12 && other.number <= number)
      expect(sum(hour.map(costOf))).toBeLessThanOrEqual(maxHourlyCostNano)
    }
  }
}

/** What the test is about has happened. */
async function requireDisturbance(): Promise<void> {
  const { rows: capped } = await operator.query(`SELECT 1 FROM training_notice WHERE type = 'endpoint.cap_reached'`)
  expect(capped.length).toBeGreaterThan(0)
  expect(seen.mostReplicas).toBeGreaterThanOrEqual(90)
  expect(seen.kills).toBeGreaterThanOrEqual(4)
  expect(seen.engines).toBeGreaterThan(10)
  expect([...seen.states].sort()).toEqual(expect.arrayContaining(['RUNNING', 'SCALED_TO_ZERO', 'STARTING', 'STOPPED']))
}

it('charges the seconds of a hundred replicas to the nano-dollar, through kills, failures and sleep', async () => {
  const workspaceIds = Array.from({ length: workspaceCount }, () => randomUUID())
  for (const [index, id] of workspaceIds.entries()) await ledger.addWallet(id, creditOf(index))
  const places = workspaceIds.flatMap((id) => Array.from({ length: endpointsOfEach }, () => id))
  created = await Promise.all(places.map(create))
  for (let step = 0; step < steps; step += 1) {
    await ask(step)
    await pass()
    await look()
    if (step >= 4) await disturb(step)
    // Once no worker runs for longer than what was paid ahead.
    await jump(step === steps / 2 ? 900 : 1 + 280 * random() ** 2)
  }
  for (const endpoint of created) await endpoints.stop(endpoint, 'delete')
  for (let last = 0; last < 6; last += 1) {
    await jump(120)
    await pass()
  }
  await jump(7_200)
  expect((await operator.query(`SELECT id FROM dedicated_endpoint WHERE state <> 'DELETED'`)).rows).toEqual([])
  const ready = await readyTimes()
  await requireExactCharges(ready, workspaceIds)
  requireCaps(ready)
  expect(await auditDedicated(operator, [operator])).toEqual([])
  expect((await auditLedger(operator)).violations).toEqual([])
  expect(ledger.uncovered).toEqual([])
  await requireDisturbance()
})
