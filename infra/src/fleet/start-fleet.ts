import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { isSocketPath } from '@ratchet/service-kit/frames/frames-address'
import { keepMarkedAsUsed } from '../bundle/old-bundles.ts'
import { claimPort } from '../processes/claim-port.ts'
import { choosePort, isPortFree } from '../processes/free-port.ts'
import { type HelperProcess, startHelperProcess } from '../processes/helper-process.ts'
import type { Supervisor } from '../processes/supervisor.ts'
import { ReadableError } from '../terminal/readable-error.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { type BackOfficeMember, backOfficeSpec } from './back-office-spec.ts'
import type { DataPaths } from './data-paths.ts'
import { demoWorkspace } from './demo-workspace.ts'
import { type FleetInfo, readJson, writePrivateJson } from './fleet-file.ts'
import { startStores } from './fleet-stores.ts'
import type { PreparationSteps } from './prepare-fleet.ts'
import { addressVariables, providerVariables } from './provider-variables.ts'
import { keysOf, loadSecrets, type Secrets, saveSecrets } from './secrets-file.ts'
import type { DemoAccess } from './seed.ts'
import type { ServiceContext } from './service-context.ts'
import { services, simulatedProvider } from './service-list.ts'
import { originOf, voiceOriginOf } from './service-settings.ts'
import { serviceSpec } from './service-spec.ts'

export interface StartFleetOptions {
  readonly data: DataPaths
  readonly env: Readonly<Record<string, string | undefined>>
  /** Port of the edge; the start fails when it is taken. */
  readonly port?: number
  /** The service whose processes restart when one of their files is saved. */
  readonly watch?: string
  readonly supervisor: Supervisor
  readonly terminal: Terminal
}

export type FleetAddresses = Omit<FleetInfo, 'pids'>

/**
 * Starts a fleet under the supervisor: stores, migrations, demo workspace, pages and bundle, services, in this order.
 *
 * @throws ReadableError when something is missing or does not become ready
 */
export async function startFleet(options: StartFleetOptions): Promise<FleetAddresses> {
  const { data, env, terminal, supervisor } = options
  const secrets = loadSecrets(data.secretsFile, env.BRAND_WORD)
  const ports = createPortChooser(terminal)
  const edgePort = await chooseEdgePort(options, ports)
  const start = supervisor.start
  const stores = await startStores({
    data,
    env,
    terminal,
    start,
    portFor: ports,
    postgresPassword: secrets.postgres_password,
    redisPassword: secrets.redis_password,
  })
  const { access, webFolder, bundle } = await prepare(options, stores.databaseUrl, secrets)
  const simulated = hasProviderKey(env) ? null : await ports('the simulated provider', simulatedProvider.port)
  const portOf = new Map([['edge', edgePort]])
  for (const { name, port } of services) if (!portOf.has(name)) portOf.set(name, await ports(name, port))
  const metricsPortOf = await chooseMetricsPorts(portOf, ports)
  const { sessionPort: usualSession = 0, voicePort: usualVoice = 0 } =
    services.find(({ name }) => name === 'edge') ?? {}
  const sessionPort = await ports('the listener for the dashboard', usualSession)
  const voicePort = await ports('the voice interface', usualVoice)
  const ground = { options, secrets, stores, portOf, simulated, sessionPort, voicePort, webFolder }
  const context = serviceContext(ground)
  await startServices({ options, context, portOf, metricsPortOf, simulated, bundle })
  return {
    base_url: context.urlOf('edge'),
    voice_base_url: voiceOriginOf(context),
    dashboard_url: originOf(context),
    database_url: stores.databaseUrl,
    redis_url: stores.redisUrl,
    simulated_provider_url: context.simulatedProviderUrl ?? null,
    workspace: demoWorkspace,
    metrics_urls: Object.fromEntries(
      [...metricsPortOf].map(([name, port]) => [name, `http://127.0.0.1:${port}/metrics`]),
    ),
    ...access,
  }
}

interface Prepared {
  readonly access: DemoAccess
  /** Folder of the built pages. */
  readonly webFolder: string
  /** Folder of the bundled services. */
  readonly bundle: string
}

type Preparation = HelperProcess<PreparationSteps>

/** Everything that must be there before services start, except the stores. */
async function prepare(options: StartFleetOptions, databaseUrl: string, secrets: Secrets): Promise<Prepared> {
  const { env, terminal } = options
  const helper: Preparation = startHelperProcess(path.join(import.meta.dirname, 'prepare-fleet.ts'))
  try {
    const ledgerUrls = env.LEDGER_DATABASE_URLS ?? ''
    await terminal.step('migrations', () => helper.call('migrateAll', { databaseUrl, ledgerUrls }), describeMigrations)
    const access = await terminal.step('demo workspace', () => seed(options, { helper, databaseUrl, secrets }))
    const webFolder = await terminal.step('pages', () => helper.call('buildWeb', undefined))
    const bundle = await terminal.step('bundle', () => helper.call('bundleServices', undefined))
    return { access, webFolder, bundle }
  } finally {
    await helper.end()
  }
}

interface Seeding {
  readonly helper: Preparation
  readonly databaseUrl: string
  readonly secrets: Secrets
}

/** Replaces keys that were revoked since the previous start, because the keys that are printed must work. */
async function seed({ data, env }: StartFleetOptions, { helper, databaseUrl, secrets }: Seeding): Promise<DemoAccess> {
  const { api_key: apiKey, member_api_key: memberKey, voice_api_key: voiceKey, owner_password: ownerPassword } = secrets
  const keys = { api_key: apiKey, member_api_key: memberKey, voice_api_key: voiceKey }
  const access = await helper.call('seedDemo', { databaseUrl, keys, ownerPassword, brandWord: env.BRAND_WORD })
  const { api_key, member_api_key, voice_api_key } = access
  saveSecrets(data.secretsFile, { ...secrets, api_key, member_api_key, voice_api_key })
  return access
}

/** Whether the environment holds a key of a real provider, or the address of one that needs none. */
function hasProviderKey(env: Readonly<Record<string, string | undefined>>): boolean {
  return [...providerVariables, ...addressVariables].some((name) => (env[name] ?? '') !== '')
}

type ChoosePort = (what: string, preferred: number) => Promise<number>

/** Returns a function that chooses free ports, never the usual port of another service. */
function createPortChooser(terminal: Terminal): ChoosePort {
  const reserved = new Set(
    [...services, simulatedProvider].flatMap(({ port, adminPort, sessionPort, voicePort }) => [
      port,
      adminPort ?? port,
      sessionPort ?? port,
      voicePort ?? port,
    ]),
  )
  return async (what, preferred) => {
    const port = await choosePort({ preferred, reserved })
    reserved.add(port)
    if (port !== preferred) terminal.line(`▸ port ${preferred} is taken; ${what} gets ${port}`)
    return port
  }
}

/** The port of the previous start, if none is given: clients keep the address of a fleet. */
async function chooseEdgePort({ data, port }: StartFleetOptions, ports: ChoosePort): Promise<number> {
  if (port === undefined) {
    const usual = services.find(({ name }) => name === 'edge')?.port ?? 8080
    const chosen = await ports('the API', readPorts(data.portsFile)?.api ?? usual)
    writePrivateJson(data.portsFile, { api: chosen } satisfies KeptPorts)
    return chosen
  }
  if ((await isPortFree(port)) && claimPort(port)) return port
  throw new ReadableError(`Port ${port} is taken. Choose another with --port, or leave it out to get a free one.`)
}

interface KeptPorts {
  readonly api: number
}

function readPorts(file: string): KeptPorts | null {
  const kept = readJson<Partial<KeptPorts>>(file)
  return kept !== null && Number.isInteger(kept.api) ? (kept as KeptPorts) : null
}

/** The port of each service that serves its metrics: a separate one where clients reach the other. */
async function chooseMetricsPorts(
  portOf: ReadonlyMap<string, number>,
  ports: ChoosePort,
): Promise<Map<string, number>> {
  const chosen = new Map(portOf)
  for (const { name, adminPort } of services) {
    if (adminPort !== undefined) chosen.set(name, await ports(`the metrics of ${name}`, adminPort))
  }
  return chosen
}

interface Wiring {
  readonly options: StartFleetOptions
  readonly portOf: ReadonlyMap<string, number>
  readonly simulated: number | null
}

interface Ground extends Wiring {
  readonly secrets: Secrets
  readonly stores: { readonly databaseUrl: string; readonly redisUrl: string }
  readonly sessionPort: number
  readonly voicePort: number
  readonly webFolder: string
}

function serviceContext({
  options: { data, env },
  secrets,
  stores,
  portOf,
  simulated,
  ...rest
}: Ground): ServiceContext {
  const { masterKeys, encryptionKeys, authSecret } = keysOf(secrets)
  return {
    host: '127.0.0.1',
    databaseUrl: stores.databaseUrl,
    redisUrl: stores.redisUrl,
    masterKeys,
    encryptionKeys,
    voiceUrl: `http://127.0.0.1:${rest.voicePort}`,
    dashboard: { sessionUrl: `http://127.0.0.1:${rest.sessionPort}`, authSecret, webFolder: rest.webFolder },
    spillFolder: data.spill,
    artifactsFolder: data.artifacts,
    framesUrl: framesUrl(data, env),
    instanceId: randomUUID(),
    ...(simulated === null ? {} : { simulatedProviderUrl: `http://127.0.0.1:${simulated}` }),
    urlOf: (service) => `http://127.0.0.1:${portOf.get(service) ?? 0}`,
    // A person who tries webhooks has a receiver on this machine.
    env: { WEBHOOK_LOOPBACK_HTTP: 'on', ...env },
  }
}

/** A socket in the data folder, which only its owner can open; HTTP when its path is too long, or when that is requested. */
function framesUrl({ framesSocket }: DataPaths, env: StartFleetOptions['env']): string | undefined {
  if (env.INFERENCE_FRAMES_URL === 'off' || !isSocketPath(framesSocket)) return undefined
  return `unix:${framesSocket}`
}

async function startServices({
  options,
  context,
  portOf,
  metricsPortOf,
  simulated,
  bundle,
}: Wiring & {
  readonly context: ServiceContext
  readonly metricsPortOf: ReadonlyMap<string, number>
  readonly bundle: string
}): Promise<void> {
  const { supervisor, terminal, env } = options
  const drainTimeoutMs = Number(env.DRAIN_TIMEOUT_MS ?? '600000')
  const requested: BackOfficeMember[] = services.map((service) => ({
    service,
    port: portOf.get(service.name) ?? service.port,
    adminPort: service.adminPort === undefined ? undefined : metricsPortOf.get(service.name),
  }))
  if (simulated !== null) requested.unshift({ service: simulatedProvider, port: simulated })
  keepMarkedAsUsed(bundle)
  const title = requested.map(({ service }) => service.name).join(', ')
  await terminal.step(title, async () => {
    // All at once: each becomes ready only after the services that it depends on.
    const isWatched = ({ service }: BackOfficeMember) => isPartOf(service.name, options.watch)
    const isTogether = (each: BackOfficeMember) => each.service.isBackOffice === true && !isWatched(each)
    const together = requested.filter(isTogether)
    // In the order of the list, because processes are stopped in reverse.
    const specs = requested.flatMap((each) => {
      const common = { context, port: each.port, adminPort: each.adminPort, drainTimeoutMs }
      if (isWatched(each)) return serviceSpec(each.service, { ...common, watch: true })
      if (!isTogether(each)) return serviceSpec(each.service, { ...common, bundle })
      return each === together[0] ? backOfficeSpec(together, { context, drainTimeoutMs, bundle }) : []
    })
    await Promise.all(specs.map((spec) => supervisor.start(spec)))
  })
}

/** Whether a process is the API or the worker of a service. */
function isPartOf(name: string, service: string | undefined): boolean {
  return service !== undefined && (name === service || name === `${service}-worker`)
}

function describeMigrations(applied: readonly string[]): string {
  return applied.length === 0 ? 'up to date' : `${applied.length} applied`
}
