import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Child, startChild } from '@ratchet/infra/child'
import { anyFreePort } from '@ratchet/infra/free-port'
import { audienceKeys, formatKeys, type ServiceContext, services } from '@ratchet/infra/service-list'
import { serviceSpec } from '@ratchet/infra/service-spec'
import type { NamedKey } from '@ratchet/service-kit/identity'
import { type SimulatedProvider, startSimulatedProvider } from '@ratchet/simulated-provider/start-simulated-provider'
import { type Balancer, type BalancerOptions, startBalancer } from '@ratchet/testing/balancer'
import { type ChaosProxy, startChaosProxy } from '@ratchet/testing/chaos-proxy'
import { createDemoWorkspace, type DemoWorkspace, type DemoWorkspaceOptions } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { freshDatabase } from '@ratchet/testing/fresh-database'
import { freshRedis } from '@ratchet/testing/fresh-redis'

export interface FleetOptions {
  /** Edge processes; each listens on a port of its own. */
  readonly edges?: number
  /** Inference processes; the edges share them out among themselves, each talking to one. */
  readonly inferences?: number
  readonly workspace?: DemoWorkspaceOptions
  /** Whether judging runs, API and worker: for stories that need it, because every process takes its time to start. */
  readonly judges?: boolean
  /** Whether evals run, API and worker. */
  readonly evals?: boolean
  /** Whether aliases run, API and worker. */
  readonly aliases?: boolean
  /** Settings on top of the service list's. */
  readonly env?: Readonly<Record<string, string>>
  /** Stores of the story's own, for what it does to a whole server; absent: some of the run's, which others use too. */
  readonly stores?: FleetStores
  /** Puts a balancer before each of the services that requests come through, clients and processes reach them by it. */
  readonly balanced?: BalancerOptions
}

/** Services that a balanced fleet has a balancer for. */
export type BalancedService = 'edge' | 'inference' | 'logging'

/** Where a fleet's data is. */
export interface FleetStores {
  /** A migrated database. */
  readonly databaseUrl: string
  /** An empty Redis. */
  readonly redisUrl: string
}

export interface FleetProcess extends Child {
  readonly url: string
  /** Everything it printed. */
  readonly log: readonly string[]
}

/** The product as real processes over a database of its own, with faults to switch on. */
export interface Fleet {
  /** The first edge's, or that of the balancer before all of them. */
  readonly url: string
  /** What stands before the services of a balanced fleet. */
  readonly balancers: Readonly<Record<BalancedService, Balancer>>
  readonly edges: readonly FleetProcess[]
  /** The first one. */
  readonly inference: FleetProcess
  /** The log's API. */
  readonly logging: FleetProcess
  readonly loggingWorker: FleetProcess
  /** The judges' API. */
  readonly judging: FleetProcess
  readonly judgingWorker: FleetProcess
  /** The evals' API. */
  readonly eval: FleetProcess
  readonly evalWorker: FleetProcess
  /** The API of aliases and webhooks. */
  readonly alias: FleetProcess
  readonly aliasWorker: FleetProcess
  readonly provider: SimulatedProvider
  readonly workspace: DemoWorkspace
  /** The database itself, past the proxy that the fleet uses. */
  readonly databaseUrl: string
  /** In the form of ENCRYPTION_KEYS, for whoever sets provider keys. */
  readonly encryptionKeys: string
  /** Signs identities for a service, as the processes of the fleet do that call it past the edge. */
  readonly keyFor: (audience: string) => NamedKey
  /** Redis itself, past the proxy. */
  readonly redisUrl: string
  /** Every process that was started, those that have ended since included. */
  readonly processes: readonly FleetProcess[]
  /** What the fleet's connections to Postgres and Redis go through. */
  readonly postgres: ChaosProxy
  readonly redis: ChaosProxy
  /** Starts the first inference process again after it was killed; same port, same spill folder. */
  restartInference(): Promise<FleetProcess>
  /** Starts the log's worker again after it was stopped or killed; same port. */
  restartLoggingWorker(): Promise<FleetProcess>
  /** Starts the judges' worker again after it was stopped or killed; same port. */
  restartJudgingWorker(): Promise<FleetProcess>
  /** Starts the evals' API again after it was stopped or killed; same port. */
  restartEval(): Promise<FleetProcess>
  /** Starts the evals' worker again after it was stopped or killed; same port. */
  restartEvalWorker(): Promise<FleetProcess>
  /** Starts the aliases' API again after it was stopped or killed; same port. */
  restartAlias(): Promise<FleetProcess>
  /** Starts the aliases' worker again after it was stopped or killed; same port. */
  restartAliasWorker(): Promise<FleetProcess>
  /** One more of the judges' workers. */
  addJudgingWorker(): Promise<FleetProcess>
  /** One more process, with settings of its own on top of the fleet's; a balanced fleet sends it its share. */
  add(name: string, env?: Readonly<Record<string, string>>): Promise<FleetProcess>
  stop(): Promise<void>
}

/** Starts a fleet. Everything it acquired is given back by `stop`, also when a step of the start fails. */
export async function startFleet(options: FleetOptions = {}): Promise<Fleet> {
  const undo: (() => Promise<unknown>)[] = []
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step()
  }
  try {
    return Object.assign(await build(options, (step) => undo.push(step)), { stop })
  } catch (error) {
    await stop()
    throw error
  }
}

async function build(
  {
    edges: edgeCount = 1,
    inferences: inferenceCount = 1,
    workspace,
    judges = false,
    evals = false,
    aliases = false,
    env = {},
    stores,
    balanced,
  }: FleetOptions,
  onStop: (step: () => Promise<unknown>) => void,
): Promise<Omit<Fleet, 'stop'>> {
  const ground = await layGround(stores, onStop)
  const { database, ownRedis, postgres, redis, provider } = ground
  const balancers = balanced === undefined ? null : await startBalancers(balanced, onStop)
  const processes = await planProcesses(ground, { inferences: inferenceCount, env, balancers }, onStop)
  const { start, startInference, startEdge, startAnother, started, master, encryptionKeys } = processes
  const [logging, loggingWorker, inference] = await allStarted([
    start('logging'),
    start('logging-worker'),
    startInference(0),
  ])
  const [judging, judgingWorker] = await allStarted(judges ? [start('judging'), start('judging-worker')] : [])
  const [evalApi, evalWorker] = await allStarted(evals ? [start('eval'), start('eval-worker')] : [])
  const [alias, aliasWorker] = await allStarted(aliases ? [start('alias'), start('alias-worker')] : [])
  await allStarted(range(1, inferenceCount).map(startInference))
  const edges = await allStarted(range(0, edgeCount).map(startEdge))
  if (balancers !== null) await eventually(() => started.every((process) => hasItsShare(process, balancers)))
  return {
    url: (balancers?.edge ?? edges[0])?.url ?? '',
    get balancers() {
      return needed(balancers ?? undefined, 'balancers')
    },
    edges,
    inference,
    logging,
    loggingWorker,
    get judging() {
      return needed(judging, 'judges')
    },
    get judgingWorker() {
      return needed(judgingWorker, 'judges')
    },
    get eval() {
      return needed(evalApi, 'evals')
    },
    get evalWorker() {
      return needed(evalWorker, 'evals')
    },
    get alias() {
      return needed(alias, 'aliases')
    },
    get aliasWorker() {
      return needed(aliasWorker, 'aliases')
    },
    provider,
    workspace: await createDemoWorkspace(database.url, workspace),
    databaseUrl: database.url,
    encryptionKeys: formatKeys(encryptionKeys),
    keyFor: (audience) => audienceKeys([master], audience)[0] ?? master,
    processes: started,
    postgres,
    redis,
    restartInference: () => startInference(0),
    restartLoggingWorker: () => start('logging-worker'),
    restartJudgingWorker: () => start('judging-worker'),
    restartEval: () => start('eval'),
    restartEvalWorker: () => start('eval-worker'),
    restartAlias: () => start('alias'),
    restartAliasWorker: () => start('alias-worker'),
    addJudgingWorker: () => startAnother('judging-worker'),
    add: startAnother,
    redisUrl: ownRedis.url,
  }
}

/** How each process of a fleet is started, and the keys that they share. */
async function planProcesses(
  { databaseUrl, redisUrl, provider, spillFolder }: Awaited<ReturnType<typeof layGround>>,
  { inferences, env, balancers }: Required<Pick<FleetOptions, 'inferences' | 'env'>> & { balancers: Balancers | null },
  onStop: (step: () => Promise<unknown>) => void,
) {
  const master = { id: 'k1', secret: randomBytes(32) }
  const encryptionKeys = [{ id: 'k1', secret: randomBytes(32) }] as const
  const inferencePorts: number[] = []
  for (let i = 0; i < inferences; i++) inferencePorts.push(await anyFreePort())
  const urlOfInference = (index: number) => `http://127.0.0.1:${inferencePorts[index % inferences]}`
  const ports = await portsBehind()
  const urlOf = (service: string, index: number) => {
    if (balancers !== null && isIn(balancers, service)) return balancers[service].url
    return isIn(ports, service) ? `http://127.0.0.1:${ports[service]}` : urlOfInference(index)
  }
  const context: ServiceContext = {
    host: '127.0.0.1',
    databaseUrl,
    redisUrl,
    masterKeys: [master],
    encryptionKeys,
    spillFolder,
    simulatedProviderUrl: provider.baseUrl,
    urlOf: (service) => urlOf(service, 0),
    env: { ...inherited, DRAIN_TIMEOUT_MS: '20000', ...deadline, ...env },
  }
  const started: FleetProcess[] = []
  const run = async (name: string, { port, own = context, settings = env }: Running) => {
    const process = await startProcess(name, { context: own, port, env: settings }, onStop)
    started.push(process)
    if (balancers !== null && isIn(balancers, name)) balancers[name].add(process)
    return process
  }
  const runAnother = async (name: string, more: Readonly<Record<string, string>> = {}) => {
    const own = { ...context, spillFolder: path.join(spillFolder, `another-${started.length}`) }
    return run(name, { port: await anyFreePort(), own, settings: { ...env, ...more } })
  }
  return {
    master,
    encryptionKeys,
    started,
    start: (name: keyof typeof ports) => run(name, { port: ports[name] }),
    startAnother: runAnother,
    startInference: (index: number) => {
      const own = { ...context, spillFolder: path.join(spillFolder, String(index)) }
      return run('inference', { port: inferencePorts[index] ?? 0, own })
    },
    startEdge: async (index: number) => {
      const own = { ...context, urlOf: (service: string) => urlOf(service, index) }
      return run('edge', { port: await anyFreePort(), own })
    },
  }
}

interface Running {
  readonly port: number
  /** Instead of what all processes have. */
  readonly own?: ServiceContext
  readonly settings?: Readonly<Record<string, string>>
}

/** What the processes stand on. */
async function layGround(stores: FleetStores | undefined, onStop: (step: () => Promise<unknown>) => void) {
  const database = stores === undefined ? await freshDatabase() : { url: stores.databaseUrl, drop: async () => {} }
  onStop(() => database.drop())
  const spillFolder = await mkdtemp(path.join(tmpdir(), 'ratchet-e2e-'))
  onStop(() => rm(spillFolder, { recursive: true, force: true }))
  const provider = await startSimulatedProvider()
  onStop(() => provider.stop())
  const [postgres, databaseUrl] = await proxied(database.url, onStop)
  // Its own: the log's worker takes whatever is in the stream.
  const ownRedis = stores === undefined ? await freshRedis() : { url: stores.redisUrl, drop: async () => {} }
  onStop(() => ownRedis.drop())
  const [redis, redisUrl] = await proxied(ownRedis.url, onStop)
  return { database, databaseUrl, ownRedis, redisUrl, postgres, redis, provider, spillFolder }
}

type Balancers = Fleet['balancers']

async function startBalancers(
  options: BalancerOptions,
  onStop: (step: () => Promise<unknown>) => void,
): Promise<Balancers> {
  const start = async () => {
    const balancer = await startBalancer(options)
    onStop(() => balancer.stop())
    return balancer
  }
  return { edge: await start(), inference: await start(), logging: await start() }
}

function hasItsShare(process: FleetProcess, balancers: Balancers): boolean {
  return !isIn(balancers, process.name) || balancers[process.name].includes(process)
}

/** Processes that start at the same time. When one fails the others are waited for, so that each of them is stopped. */
async function allStarted<const T extends readonly Promise<FleetProcess>[]>(
  starting: T,
): Promise<{ -readonly [Index in keyof T]: FleetProcess }> {
  await Promise.allSettled(starting)
  return Promise.all(starting) as Promise<{ -readonly [Index in keyof T]: FleetProcess }>
}

function needed<T>(started: T | undefined, what: string): T {
  if (started === undefined) throw new Error(`this fleet was started without ${what}`)
  return started
}

/** Whole numbers from one up to the one before another. */
function range(from: number, to: number): readonly number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index)
}

/** Ports of what runs once behind the edge, besides inference. */
async function portsBehind() {
  return {
    logging: await anyFreePort(),
    'logging-worker': await anyFreePort(),
    judging: await anyFreePort(),
    'judging-worker': await anyFreePort(),
    eval: await anyFreePort(),
    'eval-worker': await anyFreePort(),
    alias: await anyFreePort(),
    'alias-worker': await anyFreePort(),
  }
}

function isIn<Names extends object>(names: Names, name: string): name is keyof Names & string {
  return Object.hasOwn(names, name)
}

/**
 * A test machine under load stands still for longer than a database may be silent in production, and would be told
 * as 503. Stories about a database that is away set what production has.
 */
const deadline = { DATABASE_SILENCE_MS: '5000' }

const inherited = { PATH: process.env.PATH, HOME: process.env.HOME, LOG_LEVEL: process.env.LOG_LEVEL ?? 'info' }

async function proxied(
  url: string,
  onStop: (step: () => Promise<unknown>) => void,
): Promise<readonly [ChaosProxy, string]> {
  const target = new URL(url)
  const proxy = await startChaosProxy({ targetHost: target.hostname, targetPort: Number(target.port) })
  onStop(() => proxy.stop())
  target.hostname = '127.0.0.1'
  target.port = String(proxy.port)
  return [proxy, target.href]
}

async function startProcess(
  name: string,
  { context, port, env }: { context: ServiceContext; port: number; env: Readonly<Record<string, string>> },
  onStop: (step: () => Promise<unknown>) => void,
): Promise<FleetProcess> {
  const service = services.find((each) => each.name === name)
  if (service === undefined) throw new Error(`no service ${name}`)
  const spec = serviceSpec(service, { context, port, drainTimeoutMs: 20_000 })
  const log: string[] = []
  const child = await startChild({ ...spec, env: { ...spec.env, ...env } }, { onLine: (line) => log.push(line) })
  onStop(() => child.stop())
  return { ...child, url: `http://127.0.0.1:${port}`, log }
}
