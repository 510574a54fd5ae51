import { requiredSettings, serviceConfigs, telemetryVariables } from '../../service-configs.ts'
import { nodeFlags, type ServiceDefinition, serviceEnv, services, telemetryEntry } from '../../service-list.ts'
import { environmentOf } from '../environment.ts'
import { type KubeObject, ofKind, type Workload } from '../kube-object.ts'
import { fleetOf } from './workload-rules.ts'

/** The cluster runs what `npm start` and docker-compose.yml run: the same processes, scripts, ports and settings. */
export function parityProblems(objects: readonly KubeObject[]): readonly string[] {
  const fleet = new Map(fleetOf(objects).map((workload) => [workload.name, workload]))
  const unknown = [...fleet.keys()].filter((name) => !services.some((service) => service.name === name))
  return [
    ...unknown.map((name) => `nobody else runs ${name}`),
    ...services.flatMap((service) => {
      const workload = fleet.get(service.name)
      if (workload === undefined) return [`nothing runs ${service.name}`]
      return [
        ...processProblems(service, workload),
        ...doorProblems(service, objects),
        ...variableProblems(service, workload, objects),
      ]
    }),
  ]
}

function processProblems({ name, entry, port, role }: ServiceDefinition, { pod }: Workload): string[] {
  const [container] = pod.containers
  const [, folder = '', script = ''] = /^services\/([^/]+)\/(.+)$/.exec(entry) ?? []
  const [, image] = /([^/]+\/[^/:@]+)(?::[^/@]+)?(?:@[^/]+)?$/.exec(container?.image ?? '') ?? []
  const command = [...nodeFlags, '--import', `./${telemetryEntry}`, `./service/${script}`]
  const args = container?.args ?? command.with(-1, './service/src/main.ts')
  const ports = Object.fromEntries((container?.ports ?? []).map((it) => [it.name, it.containerPort]))
  const isOpen = role === 'worker' ? ports.admin === port : ports.http === port && ports.admin !== undefined
  return [
    ...(image === `ratchet/${folder}` ? [] : [`${name} runs the image ${image}`]),
    ...(JSON.stringify(args) === JSON.stringify(command) ? [] : [`${name} starts with ${args.join(' ')}`]),
    ...(isOpen ? [] : [`${name} does not listen on ${port}`]),
  ]
}

/** Who is called has a Service under its name, on its port. */
function doorProblems({ name, port, role }: ServiceDefinition, objects: readonly KubeObject[]): string[] {
  const door = ofKind(objects, 'Service').find(({ metadata }) => metadata.name === name)
  const ports = door?.spec?.ports?.map((it) => it.port) ?? []
  const expected = role === 'http' ? [port] : []
  return ports.join() === expected.join()
    ? []
    : [`the service ${name} answers on [${ports.join()}], not [${expected.join()}]`]
}

function variableProblems(
  service: ServiceDefinition,
  { name, pod }: Workload,
  objects: readonly KubeObject[],
): string[] {
  const env = environmentOf(pod, objects)
  const read = new Set([...Object.keys(serviceConfigs[name] ?? {}), ...telemetryVariables, 'NODE_OPTIONS'])
  const given = serviceEnv(service, { ...nowhere, urlOf: addressOf })
  const wired = Object.keys(given).filter((variable) => variable !== 'NODE_ENV' && read.has(variable))
  const settings = { ...given, PORT: String(service.port) }
  const differing = Object.entries(settings).filter(([variable, value]) => {
    const there = env.get(variable)?.value
    return /^(PORT|OTEL_SERVICE_NAME|\w+_URL)$/.test(variable) && there !== undefined && there !== value
  })
  return [
    ...[...env.keys()].filter((it) => !read.has(it)).map((it) => `${name} does not read ${it}`),
    ...[...requiredSettings(name), ...wired].filter((it) => !env.has(it)).map((it) => `${name} is not given ${it}`),
    ...differing.map(([it, value]) => `${name} has ${it}=${env.get(it)?.value}, not ${value}`),
    ...secretProblems(name, env),
  ]
}

/** A key to call someone is the one that they verify with; an edge has the master, and nobody else does. */
function secretProblems(name: string, env: ReturnType<typeof environmentOf>): string[] {
  return [...env].flatMap(([variable, { value, secret }]) => {
    const [, audience] = /^(?:(\w+)_)?KEYS$/.exec(variable.replace('IDENTITY_', '')) ?? []
    const isKey = /KEYS$|^(DATABASE|REDIS)_URL$/.test(variable)
    if (!isKey) return []
    if (secret === undefined) return [`${name} has ${variable} in the open: ${value}`]
    const expected =
      {
        IDENTITY_MASTER_KEYS: 'IDENTITY_MASTER_KEYS',
        IDENTITY_KEYS: `${name.toUpperCase()}_IDENTITY_KEYS`,
        ENCRYPTION_KEYS: 'ENCRYPTION_KEYS',
        DATABASE_URL: 'DATABASE_URL',
        REDIS_URL: 'REDIS_URL',
      }[variable] ?? `${audience}_IDENTITY_KEYS`
    return secret.key === expected ? [] : [`${name} takes ${variable} from ${secret.key}`]
  })
}

const addressOf = (name: string) => {
  const port = services.find((service) => service.name === name)?.port
  return `http://${name}:${port}`
}

/** A context that says nothing: only what the list itself wires is of interest. */
const nowhere = {
  host: '0.0.0.0',
  databaseUrl: 'postgres://nowhere/ratchet',
  redisUrl: 'redis://nowhere',
  masterKeys: [{ id: 'k1', secret: Buffer.alloc(32) }],
  encryptionKeys: [{ id: 'k1', secret: Buffer.alloc(32) }],
  spillFolder: '/var/lib/ratchet/spill',
  env: {},
}
