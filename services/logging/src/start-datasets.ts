import { connectProcessPool } from '@ratchet/db/connect-process-pool'
import type { Lifecycle } from '@ratchet/service-kit/process/run-process'
import { createFairPlaces } from '@ratchet/service-kit/timing/fair-places'
import type { Logger } from 'pino'
import type { CreateDatasetDeps } from './datasets/create-routes.ts'
import { createPgDatasets } from './datasets/pg-datasets.ts'
import type { DatasetRouteDeps } from './datasets/routes.ts'
import { createPgFiles } from './files/pg-files.ts'

/** A workspace uses half of them at a time. */
const connections = 4
/** Milliseconds. Deleting a file of half a gigabyte takes many seconds. */
const timeouts = { statementTimeoutMs: 60_000, queryTimeoutMs: 61_000, connectTimeoutMs: 5_000 }

export interface StartDatasetsOptions {
  readonly databaseUrl: string
  readonly logger: Logger
  readonly lifecycle: Lifecycle
}

/**
 * Connects the stores of datasets and files. They have a pool of their own, so that an upload does not delay reads of
 * the log.
 */
export function startDatasets({
  databaseUrl,
  logger,
  lifecycle,
}: StartDatasetsOptions): Pick<CreateDatasetDeps & DatasetRouteDeps, 'datasets' | 'files'> {
  const pool = connectProcessPool(
    { databaseUrl, role: 'ratchet_logging', max: connections, ...timeouts },
    { ...lifecycle, logger },
  )
  const places = createFairPlaces({ places: connections, maxOfOwner: connections / 2 })
  return {
    datasets: createPgDatasets(pool, places),
    files: createPgFiles(pool, places),
  }
}
