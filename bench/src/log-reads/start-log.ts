import { randomBytes } from 'node:crypto'
import { bundleServices } from '@ratchet/infra/bundle/bundle-services'
import type { ServiceContext } from '@ratchet/infra/fleet/service-context'
import { services } from '@ratchet/infra/fleet/service-list'
import { serviceSpec } from '@ratchet/infra/fleet/service-spec'
import { anyFreePort } from '@ratchet/service-kit/process/any-free-port'
import type { ProcessGroup } from '../targets/process-group.ts'

export interface LogProcesses {
  /** The edge's. */
  readonly url: string
  readonly loggingPid: number
}

/** The services that a read of the log needs; the setup status calls judging and eval. */
export async function startLog(group: ProcessGroup, databaseUrl: string, folder: string): Promise<LogProcesses> {
  const ports = {
    judging: await anyFreePort(),
    eval: await anyFreePort(),
    logging: await anyFreePort(),
    edge: await anyFreePort(),
  }
  const isBehind = (service: string): service is keyof typeof ports => Object.hasOwn(ports, service)
  const context: ServiceContext = {
    host: '127.0.0.1',
    databaseUrl,
    redisUrl: 'redis://127.0.0.1:1', // nothing that reads the log asks Redis
    masterKeys: [{ id: 'k1', secret: randomBytes(32) }],
    encryptionKeys: [{ id: 'k1', secret: randomBytes(32) }],
    spillFolder: folder,
    artifactsFolder: folder,
    urlOf: (service) => `http://127.0.0.1:${isBehind(service) ? ports[service] : 1}`,
    env: { PATH: process.env.PATH, LOG_LEVEL: 'warn' },
  }
  const bundle = await bundleServices()
  const start = async (name: keyof typeof ports) => {
    const service = services.find((each) => each.name === name)
    if (service === undefined) throw new Error(`no service ${name}`)
    return group.startTarget(serviceSpec(service, { context, port: ports[name], drainTimeoutMs: 5_000, bundle }))
  }
  await start('judging')
  await start('eval')
  const { pid } = await start('logging')
  await start('edge')
  return { url: `http://127.0.0.1:${ports.edge}`, loggingPid: pid }
}
