import type { ConnectOptions, Pool } from '@ratchet/db/connect-pool'
import { connectProcessPool } from '@ratchet/db/connect-process-pool'
import { createSchemaCheck } from '@ratchet/db/schema-check'
import { createDrain } from '@ratchet/service-kit/process/drain'
import type { Lifecycle } from '@ratchet/service-kit/process/run-process'
import type { ServeConfig } from '@ratchet/service-kit/process/serve-service'
import { createProcessMetrics } from '@ratchet/telemetry/metrics'
import type { Logger } from 'pino'

/** What `runService` calls a start function with. */
export interface ProcessContext {
  readonly config: ServeConfig & { readonly DATABASE_URL: string }
  readonly logger: Logger
  readonly lifecycle: Lifecycle
}

export interface ProcessDefinition {
  /** Name of the process in metrics. */
  readonly name: string
  /** The pool that its health checks use. A process may connect more. */
  readonly database: Omit<ConnectOptions, 'databaseUrl' | 'onIdleError'>
}

/** Creates what every process has: a clock, metrics, a pool and health checks. */
export function createProcessParts(
  { name, database }: ProcessDefinition,
  { config, logger, lifecycle }: ProcessContext,
) {
  const now = () => new Date()
  const metrics = createProcessMetrics(name)
  const pool: Pool = connectProcessPool({ databaseUrl: config.DATABASE_URL, ...database }, { ...lifecycle, logger })
  const health = {
    drain: createDrain(),
    checks: { postgres: () => pool.query('SELECT 1') },
    startChecks: { schema: createSchemaCheck(pool) },
    instanceId: config.INSTANCE_ID,
    now,
  }
  return { now, metrics, pool, health }
}
