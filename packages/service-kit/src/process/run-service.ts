import type { Logger } from 'pino'
import type { z } from 'zod'
import { loadConfig } from './config.ts'
import { createLogger } from './logger.ts'
import { type Lifecycle, runProcess } from './run-process.ts'
import type { ServeConfig } from './serve-service.ts'

/** Configuration of every process of a service. */
export interface ProcessConfig extends ServeConfig {
  readonly LOG_LEVEL: string
}

/** Starts a process and resolves with the port it is bound to. */
export type StartProcess<Config> = (
  config: Config,
  logger: Logger,
  lifecycle: Lifecycle,
  env: NodeJS.ProcessEnv,
) => Promise<number>

export interface ServiceProcess<Schema extends z.ZodType<ProcessConfig>> {
  /** Name of the process in logs. */
  readonly name: string
  readonly schema: Schema
  readonly start: StartProcess<z.output<Schema>>
  readonly env: NodeJS.ProcessEnv
}

/** Maximum time after a drain to close pools and queues and to flush traces, milliseconds. */
export const afterDrainMs = 20_000

/** Runs a process of a service, an API or a worker, until a signal ends it. */
export async function runService<Schema extends z.ZodType<ProcessConfig>>({
  name,
  schema,
  start,
  env,
}: ServiceProcess<Schema>): Promise<void> {
  const config = loadConfig(schema, env)
  const logger = createLogger(name, config.LOG_LEVEL)
  const graceMs = config.DRAIN_DELAY_MS + config.DRAIN_TIMEOUT_MS + afterDrainMs
  await runProcess(logger, (lifecycle) => start(config, logger, lifecycle, env), { graceMs })
}
