import { appendFileSync } from 'node:fs'
import type { ServiceContext } from '@ratchet/infra/fleet/service-context'
import { services } from '@ratchet/infra/fleet/service-list'
import { serviceSpec } from '@ratchet/infra/fleet/service-spec'
import { type Child, startChild } from '@ratchet/infra/processes/child'
import { anyFreePort } from '@ratchet/service-kit/process/any-free-port'
import { providedBundle } from './bundle.ts'
import type { FleetMember } from './shared-fleet/shared-fleet.ts'

export interface FleetProcess extends Child, FleetMember {
  /** File with everything that the process printed; null without a folder for logs. */
  readonly logFile: string | null
}

interface ProcessOptions {
  readonly context: ServiceContext
  readonly port: number
  readonly env: Readonly<Record<string, string>>
  readonly logFile: string | undefined
}

/** Starts one process of a fleet. @throws Error when there is no such service, or it does not become ready */
export async function startProcess(
  name: string,
  { context, port, env, logFile }: ProcessOptions,
): Promise<FleetProcess> {
  const service = services.find((each) => each.name === name)
  if (service === undefined) throw new Error(`no service ${name}`)
  const adminPort = service.adminPort === undefined ? undefined : await anyFreePort()
  const spec = serviceSpec(service, { context, port, adminPort, drainTimeoutMs: 20_000, bundle: providedBundle() })
  const log: string[] = []
  const onLine = (line: string) => {
    log.push(line)
    if (logFile !== undefined) appendFileSync(logFile, `${line}\n`)
  }
  const child = await startChild({ ...spec, env: { ...spec.env, ...env } }, { onLine })
  const metricsUrl = `http://127.0.0.1:${adminPort ?? port}/metrics`
  return { ...child, url: `http://127.0.0.1:${port}`, metricsUrl, log, logFile: logFile ?? null }
}
