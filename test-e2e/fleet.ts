import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { audienceKeys, formatKeys } from '@ratchet/infra/fleet/audience-keys'
import type { ServiceContext } from '@ratchet/infra/fleet/service-context'
import { anyFreePort } from '@ratchet/service-kit/process/any-free-port'
import type { SimulatedProvider } from '@ratchet/simulated-provider/start-simulated-provider'
import { type Balancer, type BalancerOptions, startBalancer } from '@ratchet/testing/balancer'
import type { ChaosProxy } from '@ratchet/testing/chaos-proxy'
import { createDemoWorkspace, type DemoWorkspaceOptions } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { allStarted, range } from './all-started.ts'
import { planDashboard } from './dashboard-plan.ts'
import { type FleetStores, layGround } from './fleet-ground.ts'
import { membersOf } from './fleet-members.ts'
import { portsBehind, voiceListener } from './fleet-ports.ts'
import type { RunningFleet } from './shared-fleet/shared-fleet.ts'
import { type FleetProcess, startProcess } from './start-process.ts'

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
  /** Whether fine-tuning runs, API and worker. */
  readonly training?: boolean
  /** Whether aliases run, API and worker. */
  readonly aliases?: boolean
  /** Whether voice agents run, API and worker, and the first edge has their listener. */
  readonly voice?: boolean
  /** Whether the dashboard runs, behind the first edge, and with it aliases: every page shows how many canaries run. */
  readonly dashboard?: boolean
  /** Settings in addition to those of the service list. */
  readonly env?: Readonly<Record<string, string>>
  /** Stores of this test only, for faults of a whole server; by default those of the test run, which other tests use too. */
  readonly stores?: FleetStores
  /** The login of each service to Postgres; by default that of the owner of the tables. */
  readonly loginOf?: (service: string) => { readonly username: string; readonly password: string }
  /** Is called with the migrated database before the first process starts. */
  readonly beforeStart?: (databaseUrl: string) => Promise<void>
  /** Folder in which every process also writes its log to a file. */
  readonly logFolder?: string
  /** Puts a balancer in front of edge, inference and logging; clients and processes connect through it. */
  readonly balanced?: BalancerOptions
}

/** Services with a balancer in a balanced fleet. */
type BalancedService = 'edge' | 'inference' | 'logging'

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
  /** The API of fine-tuning. */
  readonly training: FleetProcess
  readonly trainingWorker: FleetProcess
  readonly dashboard: FleetProcess
  /** The API of voice agents. */
  readonly voice: FleetProcess
  /** A worker of calls. */
  readonly voiceWorker: FleetProcess
  /** Where clients reach the voice interface. */
  readonly voiceUrl: string
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
  /** Starts the API of fine-tuning again after it was stopped or killed, with the same port. */
  restartTraining(): Promise<FleetProcess>
  /** Starts the worker of fine-tuning again after it was stopped or killed, with the same port. */
  restartTrainingWorker(): Promise<FleetProcess>
  /** Starts the dashboard again after it was stopped or killed, with the same port. */
  restartDashboard(): Promise<FleetProcess>
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
  await options.beforeStart?.(database.url)
  const balancers = balanced === undefined ? null : await startBalancers(balanced, onStop)
  const processes = await planProcesses(
    ground,
    {
      inferences: inferenceCount,
      env,
      balancers,
      logFolder: options.logFolder,
      loginOf: options.loginOf,
      dashboard: options.dashboard === true,
      voice: options.voice === true,
    },
    onStop,
  )
  const { start, startInference, startAnother, started, master, encryptionKeys, voiceUrl } = processes
  const running = await startServices(processes, { edgeCount, inferenceCount, ...options })
  const { edges, inference, logging, loggingWorker } = running
  if (balancers !== null) await eventually(() => started.every((process) => hasItsShare(process, balancers)))
  return Object.assign(membersOf(running, balancers, voiceUrl), {
    url: (balancers?.edge ?? edges[0])?.url ?? '',
    edges,
    inference,
    logging,
    loggingWorker,
    provider,
    workspace: await createDemoWorkspace(database.url, options.workspace),
    databaseUrl: database.url,
    encryptionKeys: formatKeys(encryptionKeys),
    keyFor: (audience: string) => audienceKeys([master], audience)[0] ?? master,
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
    restartTraining: () => start('training'),
    restartTrainingWorker: () => start('training-worker'),
    restartDashboard: () => start('dashboard'),
    addJudgingWorker: () => startAnother('judging-worker'),
    add: startAnother,
    redisUrl: ownRedis.url,
  })
}

interface ServiceChoice
  extends Pick<FleetOptions, 'judges' | 'evals' | 'aliases' | 'training' | 'dashboard' | 'voice'> {
  readonly edgeCount: number
  readonly inferenceCount: number
}

/** Starts all processes of a fleet at the same time; none waits for another. */
async function startServices(
  { start, startInference, startEdge }: Awaited<ReturnType<typeof planProcesses>>,
  {
    judges,
    evals,
    aliases,
    training: trains,
    dashboard: hasDashboard,
    voice: hasVoice,
    edgeCount,
    inferenceCount,
  }: ServiceChoice,
) {
  const [
    logging,
    loggingWorker,
    inference,
    [judging, judgingWorker],
    [evalApi, evalWorker],
    [alias, aliasWorker],
    [training, trainingWorker],
    [dashboard],
    [voice, voiceWorker],
    edges,
  ] = await allStarted([
    start('logging'),
    start('logging-worker'),
    startInference(0),
    allStarted(judges ? [start('judging'), start('judging-worker')] : []),
    allStarted(evals ? [start('eval'), start('eval-worker')] : []),
    allStarted(aliases || hasDashboard ? [start('alias'), start('alias-worker')] : []),
    allStarted(trains ? [start('training'), start('training-worker')] : []),
    allStarted(hasDashboard === true ? [start('dashboard')] : []),
    allStarted(hasVoice === true ? [start('voice'), start('voice-worker')] : []),
    allStarted(range(0, edgeCount).map(startEdge)),
    allStarted(range(1, inferenceCount).map(startInference)),
  ])
  return {
    edges,
    inference,
    logging,
    loggingWorker,
    judging,
    judgingWorker,
    evalApi,
    evalWorker,
    alias,
    aliasWorker,
    training,
    trainingWorker,
    dashboard,
    voice,
    voiceWorker,
  }
}

interface ProcessPlan extends Required<Pick<FleetOptions, 'inferences' | 'env'>> {
  readonly balancers: Balancers | null
  readonly logFolder: string | undefined
  readonly loginOf: FleetOptions['loginOf']
  readonly dashboard: boolean
  readonly voice: boolean
}

/** Decides how each process is started, and creates the keys that they share. */
async function planProcesses(
  { databaseUrl, redisUrl, provider, spillFolder }: Awaited<ReturnType<typeof layGround>>,
  { inferences, env, balancers, logFolder, loginOf, dashboard: hasDashboard, voice: hasVoice }: ProcessPlan,
  onStop: (step: () => Promise<unknown>) => void,
) {
  const master = { id: 'k1', secret: randomBytes(32) }
  const encryptionKeys = [{ id: 'k1', secret: randomBytes(32) }] as const
  const inferencePorts: number[] = []
  for (let i = 0; i < inferences; i++) inferencePorts.push(await anyFreePort())
  const urlOfInference = (index: number) => `http://127.0.0.1:${inferencePorts[index % inferences]}`
  const ports = await portsBehind()
  const edgePort = await anyFreePort()
  const dashboard = await planDashboard(hasDashboard, edgePort)
  const voice = await voiceListener(hasVoice)
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
    artifactsFolder: path.join(spillFolder, 'artifacts'),
    simulatedProviderUrl: provider.baseUrl,
    urlOf: (service) => urlOf(service, 0),
    ...dashboard.context,
    ...voice,
    env: { ...inherited, DRAIN_TIMEOUT_MS: '20000', ...deadline, ...dashboard.env, ...env },
  }
  const started: FleetProcess[] = []
  onStop(() => Promise.all(started.map((process) => process.stop())))
  const run = async (name: string, { port, own = context, settings = env }: Running) => {
    const logFile = logFolder === undefined ? undefined : path.join(logFolder, `${name}-${port}.log`)
    const login = loginOf?.(name.replace(/-worker$/, '')) ?? {}
    const databaseUrl = Object.assign(new URL(own.databaseUrl), login).href
    const process = await startProcess(name, { context: { ...own, databaseUrl }, port, env: settings, logFile })
    started.push(process)
    if (balancers !== null && isIn(balancers, name)) balancers[name].add(process)
    return process
  }
  const another = async () => ({ ...(await dashboard.another()), ...(await voiceListener(hasVoice)) })
  const runAnother = async (name: string, more: Readonly<Record<string, string>> = {}) => {
    const spill = path.join(spillFolder, `another-${started.length}`)
    const own = { ...context, ...(await another()), spillFolder: spill }
    return run(name, { port: await anyFreePort(), own, settings: { ...env, ...more } })
  }
  return {
    master,
    encryptionKeys,
    voiceUrl: voice.voiceUrl,
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
        ...(index === 0 ? {} : await another()),
        urlOf: (service: string) => urlOf(service, index),
        framesUrl: framesUrl(index),
      }
      return run('edge', { port: index === 0 ? edgePort : await anyFreePort(), own })
    },
  }
}

interface Running {
  readonly port: number
  /** Replaces settings that all processes have. */
  readonly own?: ServiceContext
  readonly settings?: Readonly<Record<string, string>>
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
