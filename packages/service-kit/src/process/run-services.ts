import type { Logger } from 'pino'
import type { z } from 'zod'
import { loadConfig } from './config.ts'
import { createLogger } from './logger.ts'
import { type Lifecycle, runProcess, runStops, type Stop } from './run-process.ts'
import { afterDrainMs, type ProcessConfig, type ServiceProcess } from './run-service.ts'

/** A service that shares a process with others, with its configuration read. */
export interface LoadedService {
  readonly name: string
  readonly config: ProcessConfig
  readonly logger: Logger
  start(lifecycle: Lifecycle): Promise<number>
}

/** Reads the configuration of a service. @throws Error naming what is wrong with it */
export function loadService<Schema extends z.ZodType<ProcessConfig>>(service: ServiceProcess<Schema>): LoadedService {
  const { name, schema, start, env } = service
  const config = loadConfig(schema, env)
  const logger = createLogger(name, config.LOG_LEVEL)
  return { name, config, logger, start: (lifecycle) => start(config, logger, lifecycle, env) }
}

/**
 * Runs several services in one process until a signal ends it. Those of a group start and stop together; a later group
 * stops before an earlier one, which it may call.
 *
 * @param name of the process in logs
 */
export async function runServices(name: string, groups: readonly (readonly LoadedService[])[]): Promise<void> {
  const configs = groups.flat().map(({ config }) => config)
  const drainMs = Math.max(...configs.map((config) => config.DRAIN_DELAY_MS + config.DRAIN_TIMEOUT_MS))
  const logger = createLogger(name, configs[0]?.LOG_LEVEL ?? 'info')
  const start = async ({ onStop, hurry }: Lifecycle) => {
    await Promise.all(groups.map((group) => startGroup(group, { onStop, hurry })))
  }
  await runProcess(logger, start, { graceMs: groups.length * (drainMs + afterDrainMs) })
}

async function startGroup(group: readonly LoadedService[], { onStop, hurry }: Lifecycle): Promise<void> {
  const started = group.map((service) => ({ service, stops: [] as Stop[] }))
  let isOver = false
  onStop(() => {
    isOver = true
    return Promise.all(started.map(({ service, stops }) => runStops(stops, service.logger)))
  })
  // What a service acquires after another one failed is released at once.
  const register = (stops: Stop[]) => (stop: Stop) => void (isOver ? stop() : stops.push(stop))
  await Promise.all(
    started.map(async ({ service, stops }) => {
      await service.start({ onStop: register(stops), hurry })
      service.logger.info('ready')
    }),
  )
}
