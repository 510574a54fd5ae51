import type { Pool } from '@ratchet/db/connect-pool'
import { createAdminApp } from '@ratchet/service-kit/http/http-app'
import type { Upgrades } from '@ratchet/service-kit/http/serve-http'
import type { Drain } from '@ratchet/service-kit/process/drain'
import { serveService } from '@ratchet/service-kit/process/serve-service'
import type { ProcessMetrics } from '@ratchet/telemetry/metrics'
import { showProgressOf } from '../progress/show-progress.ts'
import { type ProgressLimits, type ProgressWatch, watchProgress } from '../progress/watch-progress.ts'
import { createProcessParts, type ProcessContext, type ProcessDefinition } from './start-process-parts.ts'

export interface WorkerDefinition extends ProcessDefinition {
  readonly progressLimits?: ProgressLimits
  /** False when the work keeps every connection busy, so that a check would wait too long for one. */
  readonly checksDatabase?: boolean
}

/** What the work of a worker receives. */
export interface WorkerParts extends Omit<ProcessContext, 'config'> {
  readonly pool: Pool
  readonly metrics: ProcessMetrics
  readonly progress: ProgressWatch
  readonly now: () => Date
  readonly drain: Drain
}

/**
 * Starts a worker process: pool, work, and a listener on `PORT` that answers probes and metrics, and takes over
 * the connections that the work serves.
 * Resolves with the port it is bound to.
 */
export async function startWorkerProcess(
  { progressLimits, checksDatabase = true, ...definition }: WorkerDefinition,
  context: ProcessContext,
  startWork: (parts: WorkerParts, serve: (upgrades: Upgrades) => void) => void | Promise<void>,
): Promise<number> {
  const { config, logger, lifecycle } = context
  const { now, metrics, pool, health: common } = createProcessParts(definition, context)
  const progress = showProgressOf(metrics, watchProgress(now, progressLimits), now)
  let upgrades: Upgrades | undefined
  const serve = (work: Upgrades) => {
    upgrades = work
  }
  await startWork({ logger, lifecycle, pool, metrics, progress, now, drain: common.drain }, serve)
  const health = {
    ...common,
    checks: { ...(checksDatabase ? common.checks : {}), progress: progress.check },
    lifeChecks: { progress: progress.checkLife },
  }
  const app = createAdminApp({ health, metrics })
  return serveService(config, { app, upgrades, health, metrics, lifecycle, logger })
}
