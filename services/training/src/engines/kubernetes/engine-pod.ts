import { isIPv6 } from 'node:net'
import { z } from 'zod'
import type { StartedEngine } from '../engines.ts'

/** What the worker reads of a pod that it has created. */
export const EnginePod = z.looseObject({
  metadata: z.looseObject({ name: z.string(), deletionTimestamp: z.coerce.date().optional() }),
  spec: z.looseObject({ nodeName: z.string().nullish() }).nullish(),
  status: z
    .looseObject({
      phase: z.string().nullish(),
      podIP: z.string().nullish(),
      containerStatuses: z.array(z.looseObject({ name: z.string(), ready: z.boolean() })).nullish(),
    })
    .nullish(),
})
export type EnginePod = z.output<typeof EnginePod>

/** Ports of the containers `engine` and `adapters`. */
export const enginePorts = { engine: 8_000, adapters: 8_001 } as const

/** An engine as its pod shows it. One whose container is restarted by Kubernetes starts again, at the same address. */
export function startedEngineOf({ metadata: { name }, spec, status }: EnginePod): StartedEngine {
  const ip = status?.podIP ?? null
  const address = ip === null ? null : addressOf(ip, enginePorts.engine)
  const phase = status?.phase ?? 'Pending'
  if (phase === 'Succeeded' || phase === 'Failed') return { name, address: null, state: 'exited' }
  if (spec?.nodeName == null) return { name, address: null, state: 'waiting' }
  const containers = status?.containerStatuses ?? []
  const isReady = containers.length > 0 && containers.every(({ ready }) => ready)
  return { name, address, state: isReady && address !== null ? 'running' : 'starting' }
}

export function addressOf(ip: string, port: number): string {
  return `http://${isIPv6(ip) ? `[${ip}]` : ip}:${port}`
}
