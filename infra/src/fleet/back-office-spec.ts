import { environmentsVariable } from '../back-office/environments.ts'
import { bundledEntry } from '../bundle/bundled-entry.ts'
import type { ChildSpec } from '../processes/child.ts'
import { memorySettings, nodeFlags } from './memory-settings.ts'
import type { ServiceContext } from './service-context.ts'
import type { ServiceDefinition } from './service-definition.ts'
import { backOfficeEntry, backOfficeEnv } from './service-list.ts'
import { serviceSpec } from './service-spec.ts'

export interface BackOfficeOptions {
  readonly context: ServiceContext
  readonly drainTimeoutMs: number
  readonly bundle: string
}

export interface BackOfficeMember {
  readonly service: ServiceDefinition
  readonly port: number
  /** See `ServiceSpecOptions.adminPort`. */
  readonly adminPort?: number | undefined
}

export const backOffice = 'back-office'

/** Megabytes for new objects. Its services do little at a time; with 8 MB they take 17 MB more. */
const backOfficeNewMb = 2

/** Describes how to run several services as one process. Its log lines name the service that wrote them. */
export function backOfficeSpec(
  members: readonly BackOfficeMember[],
  { context, drainTimeoutMs, bundle }: BackOfficeOptions,
): ChildSpec {
  const specs = members.map(({ service, ...ports }) =>
    serviceSpec(service, { context, ...ports, drainTimeoutMs, bundle }),
  )
  const [first] = specs
  if (first === undefined) throw new Error('the back office has no service')
  const environments = Object.fromEntries(specs.map(({ name, env }) => [name, env]))
  return {
    ...first,
    name: backOffice,
    // The last of two equal flags counts.
    args: [...first.args.slice(0, -1), ...nodeFlags({ newMb: backOfficeNewMb }), bundledEntry(bundle, backOfficeEntry)],
    env: {
      ...memorySettings,
      ...backOfficeEnv(context),
      NODE_COMPILE_CACHE: first.env.NODE_COMPILE_CACHE ?? '',
      [environmentsVariable]: JSON.stringify(environments),
    },
    // Its workers stop before its APIs.
    stopTimeoutMs: 2 * first.stopTimeoutMs,
    isReady: async () => (await Promise.all(specs.map(({ isReady }) => isReady()))).every((ready) => ready),
  }
}

/** The service of the back office that wrote a log line, which is JSON with its name; other lines are of the process. */
export function serviceOfLine(line: string): string {
  return /"name":"([a-z-]+)"/.exec(line)?.[1] ?? backOffice
}
