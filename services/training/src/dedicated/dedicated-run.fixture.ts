import { randomUUID } from 'node:crypto'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { freshDatabase } from '@ratchet/testing/fresh-database'
import { createEngineClient } from '../engines/engine-client.ts'
import type { JobHold, JobMoney } from '../money/job-money.ts'
import type { Proof } from '../pool/load-adapter.ts'
import { advanceEndpoint, type EndpointTurn } from './advance-endpoint.ts'
import type { DedicatedEndpoint, EndpointStore, NewEndpoint } from './endpoint.ts'
import { engineName } from './engine-name.ts'
import { createPgEndpointDriver } from './pg-driver.ts'
import { createPgEndpoints } from './pg-endpoints.ts'
import { createPgMetrics, type ReadCounts } from './pg-metrics.ts'
import { createPgReplicas } from './pg-replicas.ts'
import type { Prove } from './prove-version.ts'
import type { EngineEvent } from './reconcile-deps.ts'
import { reconcileEngines } from './reconcile-engines.ts'
import { replaceClock } from './replaced-clock.fixture.ts'
import { type ScriptedEngines, scriptedEngines } from './scripted-engines.fixture.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read columns by name
type AnyRow = any

/** A wallet, with a row for each window: what is held, and what it was charged. */
export interface WindowMoney extends Pick<JobMoney, 'hold' | 'settle' | 'release'> {
  availableNano: bigint
  /** Calls that have their effect and fail, as when the answer is lost. */
  lostAnswers: number
  readonly windows: Map<string, { readonly hold: JobHold; heldNano: bigint; charges: bigint[]; isOpen: boolean }>
  charged(): bigint
  held(): bigint
}

function windowMoney(): WindowMoney {
  const windows: WindowMoney['windows'] = new Map()
  function answer<T>(value: T): T {
    if (money.lostAnswers === 0) return value
    money.lostAnswers -= 1
    throw new Error('the answer was lost')
  }
  const money: WindowMoney = {
    availableNano: 10n ** 12n,
    lostAnswers: 0,
    windows,
    async hold(hold, amountNano) {
      if (windows.has(hold.jobId)) return true
      if (money.availableNano < amountNano) return false
      money.availableNano -= amountNano
      windows.set(hold.jobId, { hold, heldNano: amountNano, charges: [], isOpen: true })
      return answer(true)
    },
    async settle(hold, costNano) {
      const window = windows.get(hold.jobId)
      if (window === undefined) throw new Error('a charge without a hold')
      if (!window.isOpen) return
      if (costNano > window.heldNano) throw new Error('a charge beyond the hold')
      window.isOpen = false
      window.charges.push(costNano)
      money.availableNano += window.heldNano - costNano
      answer(undefined)
    },
    async release({ jobId }) {
      const window = windows.get(jobId)
      if (window === undefined || !window.isOpen) return
      window.isOpen = false
      money.availableNano += window.heldNano
    },
    charged: () => [...windows.values()].flatMap(({ charges }) => charges).reduce((sum, each) => sum + each, 0n),
    held: () => [...windows.values()].filter(({ isOpen }) => isOpen).reduce((sum, { heldNano }) => sum + heldNano, 0n),
  }
  return money
}

export interface DedicatedRun {
  readonly operator: Pool
  readonly pool: Pool
  readonly endpoints: EndpointStore
  readonly metrics: ReadCounts
  readonly engines: ScriptedEngines
  readonly money: WindowMoney
  readonly turns: EndpointTurn[]
  readonly engineEvents: EngineEvent[]
  /** What versions do when they are compared, one after the other; then they are the same. */
  readonly proofs: (Proof | null)[]
  create(settings?: Partial<NewEndpoint>): Promise<DedicatedEndpoint>
  /** What a worker does in a second: compares engines with replicas, and advances every endpoint. */
  pass(times?: number): Promise<void>
  get(endpoint: DedicatedEndpoint): Promise<DedicatedEndpoint>
  /** Requests at an endpoint, as inference reports them. */
  report(endpoint: DedicatedEndpoint, traffic: ReportedTraffic): Promise<void>
  /** Sets the clock of the database forward or back. Only with `jumps`. */
  jump(seconds: number): Promise<void>
  /** Lets time pass for everything that is stored of endpoints. */
  age(seconds: number): Promise<void>
  rows(text: string): Promise<AnyRow[]>
  drop(): Promise<void>
}

/**
 * A database, endpoints, engines and a wallet.
 *
 * @param slots machines of the hardware `sim-1x`
 * @param jumps whether the clock of the database can jump
 */
export async function dedicatedRun({ slots = 4, jumps = false } = {}): Promise<DedicatedRun> {
  const database = await freshDatabase()
  if (jumps) await replaceClock(database.url)
  const operator = connectPool({ databaseUrl: database.url, max: 2 })
  const pool = connectPool({ databaseUrl: database.url, role: 'ratchet_training', max: 8 })
  const endpoints = createPgEndpoints(pool)
  const driver = createPgEndpointDriver(pool)
  const replicas = createPgReplicas(pool)
  const engines = scriptedEngines()
  const money = windowMoney()
  const turns: EndpointTurn[] = []
  const engineEvents: EngineEvent[] = []
  const proofs: (Proof | null)[] = []
  const clients = new Map<string, ReturnType<typeof createEngineClient>>()
  const clientOf = (address: string) => {
    const client = clients.get(address) ?? createEngineClient({ address })
    clients.set(address, client)
    return client
  }
  const rows = async (text: string) => (await operator.query(text)).rows
  const deps = { driver, money, newId: randomUUID, onEvent: (event: EndpointTurn) => void turns.push(event) }
  const onEvent = (event: EngineEvent) => void engineEvents.push(event)
  const machines = new Map([['sim-1x', slots]])
  const sourceOf = async () => 'weights'
  const prove: Prove = async ({ id }, { adapter }) => {
    const [proof = 'same'] = proofs.splice(0, 1)
    if (proof === 'same') engines.started.get(engineName(id))?.loaded.add(adapter)
    return proof
  }
  return {
    operator,
    pool,
    endpoints,
    metrics: createPgMetrics(pool),
    engines,
    money,
    turns,
    engineEvents,
    proofs,
    async create(settings = {}) {
      const id = randomUUID()
      const endpoint = { ...usualEndpoint, id, workspaceId: randomUUID() }
      const created = await endpoints.create({ ...endpoint, routingKey: `support-${id.slice(0, 8)}`, ...settings })
      if (created === null) throw new Error('It was created before.')
      return created
    },
    async pass(times = 1) {
      for (let pass = 0; pass < times; pass += 1) {
        await reconcileEngines({
          engines,
          replicas,
          host: 'worker',
          slots: machines,
          clientOf,
          sourceOf,
          prove,
          readCache: async (_id, address) => await clientOf(address).cacheUsed(),
          onEvent,
        })
        await operator.query('UPDATE dedicated_endpoint SET leased_until = NULL, attempts = 0')
        const taken = await driver.take({ limit: 50, inProgress: [], maxOfWorkspace: 50 }, 30_000)
        await Promise.all(taken.map((endpoint) => advanceEndpoint(deps, endpoint)))
      }
    },
    async get(endpoint) {
      const found = await endpoints.get(endpoint)
      if (found === null) throw new Error('no such endpoint')
      return found
    },
    report: (endpoint, traffic) => reportTraffic(operator, endpoint, traffic),
    async jump(seconds) {
      await operator.query('UPDATE clock.jump SET ms = ms + $1', [seconds * 1_000])
    },
    async age(seconds) {
      const past = `- ${Number(seconds)} * interval '1 second'`
      await operator.query(`
        UPDATE dedicated_endpoint SET state_at = state_at ${past}, busy_since = busy_since ${past}, calm_since = calm_since ${past};
        UPDATE replica SET created_at = created_at ${past}, started_at = started_at ${past}, draining_at = draining_at ${past};
        UPDATE dedicated_traffic SET last_request_at = last_request_at ${past}`)
    },
    rows,
    async drop() {
      await engines.close()
      await Promise.all([...clients.values()].map((client) => client.close()))
      await Promise.all([operator.end(), pool.end()])
      await database.drop()
    },
  }
}

interface ReportedTraffic {
  readonly running?: number
  readonly waiting?: number
  readonly agoS?: number
  readonly byReplica?: Readonly<Record<string, number>>
}

export async function reportTraffic(
  operator: Pool,
  { id, workspaceId }: Pick<DedicatedEndpoint, 'id' | 'workspaceId'>,
  { running = 0, waiting = 0, agoS = 0, byReplica = {} }: ReportedTraffic,
): Promise<void> {
  await operator.query(
    `INSERT INTO dedicated_traffic (endpoint_id, reporter, workspace_id, running, waiting, by_replica, last_request_at, reported_at)
     VALUES ($1, $2, $2, $3, $4, $6, now() - $5 * interval '1 second', now())
     ON CONFLICT (endpoint_id, reporter) DO UPDATE SET running = $3, waiting = $4, by_replica = $6, reported_at = now(),
       last_request_at = now() - $5 * interval '1 second'`,
    [id, workspaceId, running, waiting, agoS, JSON.stringify(byReplica)],
  )
}

/** $3.60 an hour: a tenth of a cent each second. */
export const usualEndpoint: Omit<NewEndpoint, 'id' | 'workspaceId' | 'routingKey'> = {
  name: 'Support',
  baseModel: 'sim/small',
  version: null,
  hardware: 'sim-1x',
  priceNanoPerHour: 3_600_000_000n,
  maxContextLength: 8_192,
  precision: 'auto',
  maxAdapters: 0,
  adapters: [],
  createdBy: '00000000-0000-4000-8000-000000000001',
  request: { name: 'Support' } as never,
  minReplicas: 0,
  maxReplicas: 2,
  scaleToZeroAfterS: 3_600,
  scaleUpWindowS: 0,
  scaleDownWindowS: 0,
  targetConcurrency: 2,
  maxHourlyCostNano: null,
  drainingS: 600,
  metadata: {},
}
