import path from 'node:path'
import type { ChildSpec } from './child.ts'
import { repositoryRoot } from './data-paths.ts'
import { nodeFlags, type ServiceContext, type ServiceDefinition, serviceEnv, telemetryEntry } from './service-list.ts'

export interface ServiceSpecOptions {
  readonly context: ServiceContext
  readonly port: number
  /** Milliseconds that the service's own drain takes at most. */
  readonly drainTimeoutMs?: number
}

/** Time for the last charges after the drain, milliseconds. */
const lastChargesMs = 30_000

/** Says how to run one service of the list as a process. */
export function serviceSpec(
  service: ServiceDefinition,
  { context, port, drainTimeoutMs = 600_000 }: ServiceSpecOptions,
): ChildSpec {
  return {
    name: service.name,
    command: process.execPath,
    args: [
      ...nodeFlags,
      '--import',
      path.join(repositoryRoot, telemetryEntry),
      path.join(repositoryRoot, service.entry),
    ],
    env: { ...serviceEnv(service, context), PORT: String(port) },
    cwd: repositoryRoot,
    stopSignal: 'SIGTERM',
    stopTimeoutMs: drainTimeoutMs + lastChargesMs,
    readyTimeoutMs: 60_000,
    drains: true,
    isReady: () => answersOk(`http://127.0.0.1:${port}${service.readyPath}`),
  }
}

async function answersOk(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(3_000) })
  await response.body?.cancel()
  return response.ok
}
