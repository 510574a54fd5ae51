import { connectProcessPool } from '@ratchet/db/connect-process-pool'
import type { CreateDatasetDeps } from './routes/create-datasets.ts'
import type { DatasetRouteDeps } from './routes/datasets.ts'
import type { StartReadsOptions } from './start-reads.ts'
import { createPgDatasets } from './store/pg-datasets.ts'
import { createPgFiles } from './store/pg-files.ts'

/** Milliseconds: deleting half a gigabyte takes its time. */
const timeouts = { statementTimeoutMs: 60_000, queryTimeoutMs: 61_000, connectTimeoutMs: 5_000 }

/** What datasets and files need: a pool of their own, so that no upload keeps the log from being read. */
export function startDatasets({
  databaseUrl,
  logger,
  lifecycle,
}: StartReadsOptions): Pick<CreateDatasetDeps & DatasetRouteDeps, 'datasets' | 'files' | 'isDatasetInUse'> {
  const pool = connectProcessPool(
    { databaseUrl, role: 'ratchet_logging', max: 4, ...timeouts },
    { ...lifecycle, logger },
  )
  return {
    datasets: createPgDatasets(pool),
    files: createPgFiles(pool),
    // No service has jobs that read datasets.
    isDatasetInUse: async () => false,
  }
}
