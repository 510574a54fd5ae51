import path from 'node:path'
import { bundledEntry } from '../bundle/bundled-entry.ts'
import type { ChildSpec } from '../processes/child.ts'
import { repositoryRoot } from './data-paths.ts'
import { memorySettings, nodeFlags } from './memory-settings.ts'
import type { ServiceContext } from './service-context.ts'
import type { ServiceDefinition } from './service-definition.ts'
import { serviceEnv, telemetryEntry } from './service-list.ts'

export interface ServiceSpecOptions {
  readonly context: ServiceContext
  readonly port: number
  /** Port for probes and metrics, of a service that does not serve them on `port`. */
  readonly adminPort?: number | undefined
  /** Maximum duration of the service's drain, milliseconds. */
  readonly drainTimeoutMs?: number
  /** Folder of bundled services to run from; absent = run the source. */
  readonly bundle?: string | undefined
  /** Restart the process when one of its files is saved; for a service that runs from the source. */
  readonly watch?: boolean
}

/** Time for the last settlements after the drain, milliseconds. */
const lastChargesMs = 30_000

/** A short drain, so that a restart after an edit is quick; milliseconds. */
const watchedDrainMs = 500

/** Describes how to run one service of the list as a process. */
export function serviceSpec(
  service: ServiceDefinition,
  { context, port, adminPort, drainTimeoutMs = 600_000, bundle, watch = false }: ServiceSpecOptions,
): ChildSpec {
  const fileOf = (entry: string) =>
    bundle === undefined ? path.join(repositoryRoot, entry) : bundledEntry(bundle, entry)
  return {
    name: service.name,
    command: process.execPath,
    args: [
      ...(watch ? ['--watch', '--watch-preserve-output'] : []),
      ...nodeFlags(service),
      '--import',
      fileOf(telemetryEntry),
      fileOf(service.entry),
    ],
    env: {
      ...memorySettings,
      ...serviceEnv(service, context),
      PORT: String(port),
      ...(adminPort === undefined ? {} : { ADMIN_PORT: String(adminPort) }),
      // In the bundle's folder, so that it is removed with the bundle.
      ...(bundle === undefined ? {} : { NODE_COMPILE_CACHE: path.join(bundle, 'compile-cache') }),
      ...(watch ? { DRAIN_TIMEOUT_MS: String(watchedDrainMs) } : {}),
    },
    cwd: repositoryRoot,
    stopSignal: 'SIGTERM',
    stopTimeoutMs: drainTimeoutMs + lastChargesMs,
    readyTimeoutMs: 60_000,
    drains: true,
    isReady: () => answersAs(`http://127.0.0.1:${port}${service.readyPath}`, instanceOf(service, context)),
  }
}

/** What the process must name in its answer; undefined where none is known. */
function instanceOf({ readyPath }: ServiceDefinition, { instanceId }: ServiceContext): string | undefined {
  return readyPath === '/readyz' ? instanceId : undefined
}

/** Whether the process is ready. Another fleet could listen on the port, and be ready too. */
async function answersAs(url: string, instance: string | undefined): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(3_000) })
  const body = (await response.json()) as { readonly instance?: unknown }
  return response.ok && (instance === undefined || body.instance === instance)
}
