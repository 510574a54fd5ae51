import { memorySettings, nodeFlags } from '../../fleet/memory-settings.ts'
import { requiredSettings, serviceConfigs, telemetryVariables } from '../../fleet/service-configs.ts'
import type { ServiceDefinition } from '../../fleet/service-definition.ts'
import { serviceEnv, services, telemetryEntry } from '../../fleet/service-list.ts'
import { environmentOf } from '../environment.ts'
import { type KubeObject, ofKind, type Workload } from '../kube-object.ts'
import { fleetOf } from './workload-rules.ts'

/** Checks that the cluster runs the same processes, scripts, ports and settings as `npm start` and docker-compose.yml. */
export function parityProblems(objects: readonly KubeObject[]): readonly string[] {
  const fleet = new Map(fleetOf(objects).map((workload) => [workload.name, workload]))
  const unknown = [...fleet.keys()].filter((name) => !services.some((service) => service.name === name))
  return [
    ...unknown.map((name) => `${name} is in the manifests but not in the service list`),
    ...services.flatMap((service) => {
      const workload = fleet.get(service.name)
      if (workload === undefined) return [`${service.name} is in the service list but not in the manifests`]
      return [
        ...processProblems(service, workload),
        ...serviceProblems(service, objects),
        ...variableProblems(service, workload, objects),
      ]
    }),
  ]
}

function processProblems(service: ServiceDefinition, { pod }: Workload): string[] {
  const { name, entry, port, role } = service
  const [container] = pod.containers
  const [, folder = '', script = ''] = /^services\/([^/]+)\/(.+)$/.exec(entry) ?? []
  const [, image] = /([^/]+\/[^/:@]+)(?::[^/@]+)?(?:@[^/]+)?$/.exec(container?.image ?? '') ?? []
  const command = [...nodeFlags(service), '--import', `./${telemetryEntry}`, `./service/${script}`]
  const byImage = [...nodeFlags({}), '--import', `./${telemetryEntry}`, './service/src/main.ts']
  const args = container?.args ?? byImage
  const ports = Object.fromEntries((container?.ports ?? []).map((it) => [it.name, it.containerPort]))
  const listens = role === 'worker' ? ports.admin === port : ports.http === port && ports.admin !== undefined
  return [
    ...(image === `ratchet/${folder}` ? [] : [`${name} uses the wrong image ${image}`]),
    ...(JSON.stringify(args) === JSON.stringify(command) ? [] : [`${name} starts with ${args.join(' ')}`]),
    ...(listens ? [] : [`${name} does not listen on ${port}`]),
  ]
}

/** A process that others call has a Service with its name and port. */
function serviceProblems(
  { name, port, role, takesClients, sessionPort, voicePort }: ServiceDefinition,
  objects: readonly KubeObject[],
): string[] {
  const expected = new Map([[name, role === 'http' || takesClients === true ? [port] : []]])
  // Apart from the public one, so that nobody publishes both.
  if (sessionPort !== undefined) expected.set(sessionServiceOf(name), [sessionPort])
  if (voicePort !== undefined) expected.set(`${name}-voice`, [voicePort])
  return [...expected].flatMap(([service, required]) => {
    const endpoint = ofKind(objects, 'Service').find(({ metadata }) => metadata.name === service)
    const ports = endpoint?.spec?.ports?.map((it) => it.port) ?? []
    return ports.join() === required.join()
      ? []
      : [`service ${service} has ports [${ports.join()}], expected [${required.join()}]`]
  })
}

/** The Service of the listener that only the dashboard reaches. */
const sessionServiceOf = (name: string) => `${name}-session`

/** What Node and the C library read. */
const libraryVariables = ['NODE_OPTIONS', ...Object.keys(memorySettings)]

function variableProblems(
  service: ServiceDefinition,
  { name, pod }: Workload,
  objects: readonly KubeObject[],
): string[] {
  const env = environmentOf(pod, objects)
  const read = new Set([...Object.keys(serviceConfigs[name] ?? {}), ...telemetryVariables, ...libraryVariables])
  const given = serviceEnv(service, { ...placeholderContext, urlOf: addressOf })
  const wired = Object.keys(given).filter((variable) => variable !== 'NODE_ENV' && read.has(variable))
  const settings = { ...given, PORT: String(service.port) }
  const differing = Object.entries(settings).filter(([variable, value]) => {
    const there = env.get(variable)?.value
    return /^(PORT|OTEL_SERVICE_NAME|MALLOC_\w+|\w+_URL)$/.test(variable) && there !== undefined && there !== value
  })
  return [
    ...[...env.keys()].filter((it) => !read.has(it)).map((it) => `${name} does not read ${it}`),
    ...[...requiredSettings(name), ...wired]
      .filter((it) => !env.has(it))
      .map((it) => `${name} lacks the variable ${it}`),
    ...differing.map(([it, value]) => `${name} has ${it}=${env.get(it)?.value}, not ${value}`),
    ...secretProblems(name, env),
  ]
}

/** A caller signs with the key of itself and its callee. Only the edge has the master key. */
function secretProblems(name: string, env: ReturnType<typeof environmentOf>): string[] {
  return [...env].flatMap(([variable, { value, secret }]) => {
    const [, audience] = /^(?:(\w+)_)?KEYS$/.exec(variable.replace('IDENTITY_', '')) ?? []
    const caller = name.replace(/-worker$/, '').toUpperCase()
    const isKey = /KEYS$|^AUTH_SECRET$|^(DATABASE|REDIS)_URL$|^LEDGER_DATABASE_URLS$/.test(variable)
    if (!isKey) return []
    if (secret === undefined) return [`${name} has ${variable} as plain text instead of a Secret: ${value}`]
    const expected =
      {
        IDENTITY_MASTER_KEYS: 'IDENTITY_MASTER_KEYS',
        IDENTITY_KEYS: `${name.replace('-worker', '').toUpperCase()}_IDENTITY_KEYS`,
        ENCRYPTION_KEYS: 'ENCRYPTION_KEYS',
        JOB_TOKEN_KEYS: 'JOB_TOKEN_KEYS',
        AUTH_SECRET: 'AUTH_SECRET',
        DATABASE_URL: 'DATABASE_URL',
        REDIS_URL: 'REDIS_URL',
        LEDGER_DATABASE_URLS: 'LEDGER_DATABASE_URLS',
      }[variable] ?? `${caller}_TO_${audience}_KEYS`
    return secret.key === expected ? [] : [`${name} reads ${variable} from the wrong secret key ${secret.key}`]
  })
}

const addressOf = (name: string) => {
  const port = services.find((service) => service.name === name)?.port
  return `http://${name}:${port}`
}

/** Placeholder values: only the variables that the service list itself sets are compared. */
const placeholderContext = {
  host: '0.0.0.0',
  databaseUrl: 'postgres://placeholderContext/ratchet',
  redisUrl: 'redis://placeholderContext',
  masterKeys: [{ id: 'k1', secret: Buffer.alloc(32) }],
  encryptionKeys: [{ id: 'k1', secret: Buffer.alloc(32) }],
  spillFolder: '/var/lib/ratchet/spill',
  artifactsFolder: '/var/lib/ratchet/artifacts',
  voiceUrl: 'http://edge-voice:8098',
  dashboard: { sessionUrl: `http://${sessionServiceOf('edge')}:8092`, authSecret: 'placeholder' },
  env: {},
}
