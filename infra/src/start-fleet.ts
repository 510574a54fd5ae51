import { migrate } from '@ratchet/db/migrate'
import type { DataPaths } from './data-paths.ts'
import type { FleetInfo } from './fleet-file.ts'
import { startStores } from './fleet-stores.ts'
import { choosePort, isPortFree } from './free-port.ts'
import { ReadableError } from './readable-error.ts'
import { keysOf, loadSecrets, type Secrets, saveSecrets } from './secrets-file.ts'
import { type DemoKeys, demoWorkspace, seedDemo } from './seed.ts'
import { providerVariables, type ServiceContext, services, simulatedProvider } from './service-list.ts'
import { serviceSpec } from './service-spec.ts'
import type { Supervisor } from './supervisor.ts'
import type { Terminal } from './terminal.ts'

export interface StartFleetOptions {
  readonly data: DataPaths
  readonly env: Readonly<Record<string, string | undefined>>
  /** The edge's port and no other. */
  readonly port?: number
  readonly supervisor: Supervisor
  readonly terminal: Terminal
}

export type FleetAddresses = Omit<FleetInfo, 'pids'>

/**
 * Brings a whole fleet up under the supervisor: stores, migrations, demo workspace, services, in this order.
 *
 * @throws ReadableError when something is missing or does not get ready
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
  })
  await terminal.step('migrations', () => migrate(stores.databaseUrl), describeMigrations)
  const keys = await terminal.step('demo workspace', () => seed(options, stores.databaseUrl, secrets))
  const simulated = hasProviderKey(env) ? null : await ports('the simulated provider', simulatedProvider.port)
  const portOf = new Map([['edge', edgePort]])
  for (const { name, port } of services) if (!portOf.has(name)) portOf.set(name, await ports(name, port))
  const context = serviceContext({ options, secrets, stores, portOf, simulated })
  await startServices({ options, context, portOf, simulated })
  return {
    base_url: context.urlOf('edge'),
    voice_base_url: null,
    dashboard_url: null,
    database_url: stores.databaseUrl,
    redis_url: stores.redisUrl,
    simulated_provider_url: context.simulatedProviderUrl ?? null,
    workspace: demoWorkspace,
    metrics_urls: Object.fromEntries(services.map(({ name }) => [name, `${context.urlOf(name)}/metrics`])),
    ...keys,
  }
}

/** Keys that were revoked since the last start are replaced, so that what is printed works. */
async function seed({ data, env }: StartFleetOptions, databaseUrl: string, secrets: Secrets): Promise<DemoKeys> {
  const keys = await seedDemo({ databaseUrl, keys: secrets, brandWord: env.BRAND_WORD })
  saveSecrets(data.secretsFile, { ...secrets, ...keys })
  return keys
}

/** Whether the environment holds a key of a real provider. */
function hasProviderKey(env: Readonly<Record<string, string | undefined>>): boolean {
  return providerVariables.some((name) => (env[name] ?? '') !== '')
}

type ChoosePort = (what: string, preferred: number) => Promise<number>

/** Hands out ports, keeps the services' own ones free for them, and says when somebody else has one. */
function createPortChooser(terminal: Terminal): ChoosePort {
  const reserved = new Set([...services, simulatedProvider].map(({ port }) => port))
  return async (what, preferred) => {
    const port = await choosePort({ preferred, reserved })
    reserved.add(port)
    if (port !== preferred) terminal.line(`▸ port ${preferred} is taken; ${what} gets ${port}`)
    return port
  }
}

async function chooseEdgePort({ port }: StartFleetOptions, ports: ChoosePort): Promise<number> {
  if (port === undefined) return ports('the API', services.find(({ name }) => name === 'edge')?.port ?? 8080)
  if (await isPortFree(port)) return port
  throw new ReadableError(`Port ${port} is taken. Choose another with --port, or leave it out to get a free one.`)
}

interface Wiring {
  readonly options: StartFleetOptions
  readonly portOf: ReadonlyMap<string, number>
  readonly simulated: number | null
}

function serviceContext({
  options: { data, env },
  secrets,
  stores,
  portOf,
  simulated,
}: Wiring & { secrets: Secrets; stores: { databaseUrl: string; redisUrl: string } }): ServiceContext {
  return {
    host: '127.0.0.1',
    databaseUrl: stores.databaseUrl,
    redisUrl: stores.redisUrl,
    ...keysOf(secrets),
    spillFolder: data.spill,
    ...(simulated === null ? {} : { simulatedProviderUrl: `http://127.0.0.1:${simulated}` }),
    urlOf: (service) => `http://127.0.0.1:${portOf.get(service) ?? 0}`,
    env,
  }
}

async function startServices({
  options,
  context,
  portOf,
  simulated,
}: Wiring & { context: ServiceContext }): Promise<void> {
  const { supervisor, terminal, env } = options
  const drainTimeoutMs = Number(env.DRAIN_TIMEOUT_MS ?? '600000')
  const requested = services.map((service) => ({ service, port: portOf.get(service.name) ?? service.port }))
  if (simulated !== null) requested.unshift({ service: simulatedProvider, port: simulated })
  const title = requested.map(({ service }) => service.name).join(', ')
  await terminal.step(title, async () => {
    // All at once: each is ready only when what it depends on is.
    const specs = requested.map(({ service, port }) => serviceSpec(service, { context, port, drainTimeoutMs }))
    await Promise.all(specs.map((spec) => supervisor.start(spec)))
  })
}

function describeMigrations(applied: readonly string[]): string {
  return applied.length === 0 ? 'up to date' : `${applied.length} applied`
}
