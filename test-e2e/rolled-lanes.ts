import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { ServiceContext } from '@ratchet/infra/fleet/service-context'
import { services } from '@ratchet/infra/fleet/service-list'
import { serviceSpec } from '@ratchet/infra/fleet/service-spec'
import { type Child, startChild } from '@ratchet/infra/processes/child'
import { anyFreePort } from '@ratchet/service-kit/process/any-free-port'
import { eventually } from '@ratchet/testing/eventually'
import { providedBundle } from './bundle.ts'

/** The keys with which a process is started. */
export type Keys = Pick<ServiceContext, 'masterKeys' | 'encryptionKeys'>

/** An edge and the inference process that it calls; it gets no requests while one of the two is restarted. */
export interface Lane {
  readonly url: string
  /** Number of running requests, and of answers since it was last opened. */
  running: number
  answered: number
  isOpen: boolean
  /** Restarts one of its processes with other keys while no request runs. */
  restart(name: 'edge' | 'inference', keys: Keys): Promise<void>
}

export interface LaneOptions {
  readonly databaseUrl: string
  readonly redisUrl: string
  readonly simulatedProviderUrl: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly keys: Keys
}

/** Starts a lane. `onStop` receives the steps that stop it, to be run in reverse order. */
export async function startLane(options: LaneOptions, onStop: (step: () => Promise<unknown>) => void): Promise<Lane> {
  const ports = { edge: await anyFreePort(), inference: await anyFreePort() }
  const spillFolder = await mkdtemp(path.join(tmpdir(), 'ratchet-lane-'))
  onStop(() => rm(spillFolder, { recursive: true, force: true }))
  const running: Partial<Record<keyof typeof ports, Child>> = {}
  const start = async (name: keyof typeof ports, keys: Keys) => {
    const service = services.find((each) => each.name === name)
    if (service === undefined) throw new Error(`no service ${name}`)
    const context: ServiceContext = {
      host: '127.0.0.1',
      ...options,
      ...keys,
      spillFolder,
      artifactsFolder: spillFolder,
      framesUrl: `unix:${path.join(spillFolder, 'inference.sock')}`,
      urlOf: (other) => `http://127.0.0.1:${other === 'inference' ? ports.inference : 1}`,
    }
    const spec = { context, port: ports[name], drainTimeoutMs: 20_000, bundle: providedBundle() }
    running[name] = await startChild(serviceSpec(service, spec))
  }
  onStop(() => Promise.all(Object.values(running).map((child) => child.stop())))
  await start('inference', options.keys)
  await start('edge', options.keys)
  const lane: Lane = {
    url: `http://127.0.0.1:${ports.edge}`,
    running: 0,
    answered: 0,
    isOpen: true,
    async restart(name, keys) {
      lane.isOpen = false
      await eventually(() => lane.running === 0, { withinMs: 45_000 })
      await running[name]?.stop()
      await start(name, keys)
      Object.assign(lane, { answered: 0, isOpen: true })
    },
  }
  return lane
}
