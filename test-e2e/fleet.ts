import { randomBytes } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { audienceKeys, formatKeys } from '@ratchet/infra/fleet/audience-keys'
import { type ServiceContext, services } from '@ratchet/infra/fleet/service-list'
import { serviceSpec } from '@ratchet/infra/fleet/service-spec'
import { type Child, startChild } from '@ratchet/infra/processes/child'
import { anyFreePort } from '@ratchet/service-kit/process/any-free-port'
import { type SimulatedProvider, startSimulatedProvider } from '@ratchet/simulated-provider/start-simulated-provider'
import { type Balancer, type BalancerOptions, startBalancer } from '@ratchet/testing/balancer'
import { type ChaosProxy, startChaosProxy } from '@ratchet/testing/chaos-proxy'
import { createDemoWorkspace, type DemoWorkspaceOptions } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { freshDatabase } from '@ratchet/testing/fresh-database'
import { freshRedis } from '@ratchet/testing/fresh-redis'
import { providedBundle } from './bundle.ts'
import type { FleetMember, RunningFleet } from './shared-fleet/shared-fleet.ts'

export interface FleetOptions {
  /** Number of edge processes; each has its own port. */
  readonly edges?: number
  /** Number of inference processes; each edge uses one of them. */
  readonly inferences?: number
  readonly workspace?: DemoWorkspaceOptions
  /** Whether judging runs, API and worker. Off by default, because every process takes time to start. */
  readonly judges?: boolean
  /** Whether evals run, API and worker. */
  readonly evals?: boolean
  /** Whether aliases run, API and worker. */
  readonly aliases?: boolean
  /** Settings in addition to those of the service list. */
  readonly env?: Readonly<Record<string, string>>
  /** Stores of this test only, for faults of a whole server; by default those of the test run, which other tests use too. */
  readonly stores?: FleetStores
  /** Folder in which every process also writes its log to a file. */
  readonly logFolder?: string
  /** Puts a balancer in front of edge, inference and logging; clients and processes connect through it. */
  readonly balanced?: BalancerOptions
}

/** Services with a balancer in a balanced fleet. */
type BalancedService = 'edge' | 'inference' | 'logging'

/** The stores of a fleet. */
export interface FleetStores {
  /** A migrated database, and an empty Redis. */
  readonly databaseUrl: string
  readonly redisUrl: string
  /** Folder for what inference writes to disk; a temporary one by default. */
  readonly spillFolder?: string
}

export interface FleetProcess extends Child, FleetMember {
  /** File with everything that the process printed; null without a folder for logs. */
  readonly logFile: string | null
}

/** The product as real processes on a separate database, with faults that a test can cause. */
export interface Fleet extends RunningFleet {
  /** The balancers of a balanced fleet. */
  readonly balancers: Readonly<Record<BalancedService, Balancer>>
  readonly edges: readonly FleetProcess[]
  /** The first inference process. */
  readonly inference: FleetProcess
  /** The API of logging. */
  readonly logging: FleetProcess
  readonly loggingWorker: FleetProcess
  /** The API of judging. */
  readonly judging: FleetProcess
  readonly judgingWorker: FleetProcess
  /** The API of eval. */
  readonly eval: FleetProcess
  readonly evalWorker: FleetProcess
  /** The API of aliases and webhooks. */
  readonly alias: FleetProcess
  readonly aliasWorker: FleetProcess
  readonly provider: SimulatedProvider
  /** Every process that was started, also those that have ended. */
  readonly processes: readonly FleetProcess[]
  /** The proxies between the fleet and its Postgres and Redis. */
  readonly postgres: ChaosProxy
  readonly redis: ChaosProxy
  /** Starts the first inference process again after it was killed, with the same port and spill folder. */
  restartInference(): Promise<FleetProcess>
  /** Starts the worker of logging again after it was stopped or killed, with the same port. */
  restartLoggingWorker(): Promise<FleetProcess>
  /** Starts the worker of judging again after it was stopped or killed, with the same port. */
  restartJudgingWorker(): Promise<FleetProcess>
  /** Starts the API of eval again after it was stopped or killed, with the same port. */
  restartEval(): Promise<FleetProcess>
  /** Starts the worker of eval again after it was stopped or killed, with the same port. */
  restartEvalWorker(): Promise<FleetProcess>
  /** Starts the API of alias again after it was stopped or killed, with the same port. */
  restartAlias(): Promise<FleetProcess>
  /** Starts the worker of alias again after it was stopped or killed, with the same port. */
  restartAliasWorker(): Promise<FleetProcess>
  /** Starts one more worker of judging. */
  addJudgingWorker(): Promise<FleetProcess>
  /** Starts one more process, with additional settings; in a balanced fleet it receives its share of the traffic. */
  add(name: string, env?: Readonly<Record<string, string>>): Promise<FleetProcess>
  stop(): Promise<void>
}

/** Starts a fleet. `stop` releases everything; a failed start releases what it had started. */
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
  { edges: edgeCount = 1, inferences: inferenceCount = 1, env = {}, stores, balanced, ...options }: FleetOptions,
  onStop: (step: () => Promise<unknown>) => void,
): Promise<Omit<Fleet, 'stop'>> {
  const ground = await layGround(stores, onStop)
  const { database, ownRedis, postgres, redis, provider } = ground
  const balancers = balanced === undefined ? null : await startBalancers(balanced, onStop)
  const processes = await planProcesses(
    ground,
    { inferences: inferenceCount, env, balancers, logFolder: options.logFolder },
    onStop,
  )
  const { start, startInference, startAnother, started, master, encryptionKeys } = processes
  const running = await startServices(processes, { edgeCount, inferenceCount, ...options })
  const { edges, inference, logging, loggingWorker } = running
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
      return needed(running.judging, 'judges')
    },
    get judgingWorker() {
      return needed(running.judgingWorker, 'judges')
    },
    get eval() {
      return needed(running.evalApi, 'evals')
    },
    get evalWorker() {
      return needed(running.evalWorker, 'evals')
    },
    get alias() {
      return needed(running.alias, 'aliases')
    },
    get aliasWorker() {
      return needed(running.aliasWorker, 'aliases')
    },
    provider,
    workspace: await createDemoWorkspace(database.url, options.workspace),
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

interface ServiceChoice extends Pick<FleetOptions, 'judges' | 'evals' | 'aliases'> {
  readonly edgeCount: number
  readonly inferenceCount: number
}

/** Starts all processes of a fleet at the same time; none waits for another. */
async function startServices(
  { start, startInference, startEdge }: Awaited<ReturnType<typeof planProcesses>>,
  { judges, evals, aliases, edgeCount, inferenceCount }: ServiceChoice,
) {
  const [
    logging,
    loggingWorker,
    inference,
    [judging, judgingWorker],
    [evalApi, evalWorker],
    [alias, aliasWorker],
    edges,
  ] = await allStarted([
    start('logging'),
    start('logging-worker'),
    startInference(0),
    allStarted(judges ? [start('judging'), start('judging-worker')] : []),
    allStarted(evals ? [start('eval'), start('eval-worker')] : []),
    allStarted(aliases ? [start('alias'), start('alias-worker')] : []),
    allStarted(range(0, edgeCount).map(startEdge)),
    allStarted(range(1, inferenceCount).map(startInference)),
  ])
  return { edges, inference, logging, loggingWorker, judging, judgingWorker, evalApi, evalWorker, alias, aliasWorker }
}

interface ProcessPlan extends Required<Pick<FleetOptions, 'inferences' | 'env'>> {
  readonly balancers: Balancers | null
  readonly logFolder: string | undefined
}

/** Decides how each process is started, and creates the keys that they share. */
async function planProcesses(
  { databaseUrl, redisUrl, provider, spillFolder }: Awaited<ReturnType<typeof layGround>>,
  { inferences, env, balancers, logFolder }: ProcessPlan,
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
  // Behind a balancer, requests of an edge reach every inference process, so they go over HTTP.
  const framesUrl = (index: number) =>
    balancers === null ? `unix:${path.join(spillFolder, `${index % inferences}.sock`)}` : undefined
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
  onStop(() => Promise.all(started.map((process) => process.stop())))
  const run = async (name: string, { port, own = context, settings = env }: Running) => {
    const logFile = logFolder === undefined ? undefined : path.join(logFolder, `${name}-${port}.log`)
    const process = await startProcess(name, { context: own, port, env: settings, logFile })
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
      const own = { ...context, spillFolder: path.join(spillFolder, String(index)), framesUrl: framesUrl(index) }
      return run('inference', { port: inferencePorts[index] ?? 0, own })
    },
    startEdge: async (index: number) => {
      const own = {
        ...context,
        urlOf: (service: string) => urlOf(service, index),
        framesUrl: framesUrl(index),
      }
      return run('edge', { port: await anyFreePort(), own })
    },
  }
}

interface Running {
  readonly port: number
  /** Replaces settings that all processes have. */
  readonly own?: ServiceContext
  readonly settings?: Readonly<Record<string, string>>
}

/** Starts the stores, proxies and provider that the processes use. */
async function layGround(stores: FleetStores | undefined, onStop: (step: () => Promise<unknown>) => void) {
  const database = stores === undefined ? await freshDatabase() : { url: stores.databaseUrl, drop: async () => {} }
  onStop(() => database.drop())
  const spillFolder = stores?.spillFolder ?? (await mkdtemp(path.join(tmpdir(), 'ratchet-e2e-')))
  onStop(() => rm(spillFolder, { recursive: true, force: true }))
  const provider = await startSimulatedProvider()
  onStop(() => provider.stop())
  const [postgres, databaseUrl] = await proxied(database.url, onStop)
  // Not shared with other fleets: the worker of logging takes all entries of the stream.
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

/** Waits for processes that start at the same time. When one fails, waits for the others, so that each can be stopped. */
async function allStarted<const T extends readonly Promise<unknown>[]>(
  starting: T,
): Promise<{ -readonly [Index in keyof T]: Awaited<T[Index]> }> {
  await Promise.allSettled(starting)
  return Promise.all(starting)
}

function needed<T>(started: T | undefined, what: string): T {
  if (started === undefined) throw new Error(`this fleet was started without ${what}`)
  return started
}

/** The whole numbers from `from` to `to` − 1. */
function range(from: number, to: number): readonly number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index)
}

/** Ports of the processes that run once behind the edge, without inference. */
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
 * A test machine under load can stall longer than the database timeout of production, which would cause 503. Tests of an
 * unavailable database set the value of production.
 */
const deadline = { DATABASE_SILENCE_MS: '5000' }

const inherited = {
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  LOG_LEVEL: process.env.LOG_LEVEL ?? 'info',
}

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

interface ProcessOptions {
  readonly context: ServiceContext
  readonly port: number
  readonly env: Readonly<Record<string, string>>
  readonly logFile: string | undefined
}

async function startProcess(name: string, { context, port, env, logFile }: ProcessOptions): Promise<FleetProcess> {
  const service = services.find((each) => each.name === name)
  if (service === undefined) throw new Error(`no service ${name}`)
  const spec = serviceSpec(service, { context, port, drainTimeoutMs: 20_000, bundle: providedBundle() })
  const log: string[] = []
  const onLine = (line: string) => {
    log.push(line)
    if (logFile !== undefined) appendFileSync(logFile, `${line}\n`)
  }
  const child = await startChild({ ...spec, env: { ...spec.env, ...env } }, { onLine })
  return { ...child, url: `http://127.0.0.1:${port}`, log, logFile: logFile ?? null }
}
