import { mebibyte } from '@ratchet/contracts/byte-sizes'
import type { DatasetKey, NewDataset, StoredExample } from './dataset.ts'
import { type ContentTotals, contentTotals, type ExampleLine } from './example-line.ts'
import type { DatasetStore } from './pg-datasets.ts'

export interface Provenance {
  readonly sourceExchangeId: string | null
  readonly foldedTurns: number
}

export interface DatasetWriter {
  readonly dataset: NewDataset
  add(line: ExampleLine, provenance: Provenance): Promise<void>
  /** Writes the rest of the last batch. */
  end(): Promise<ContentTotals>
}

/** Limits of a batch that is written at once. */
const batchBytes = mebibyte
const batchExamples = 500

/** Begins a dataset and returns a writer that adds its examples in batches. */
export async function beginDataset(store: DatasetStore, dataset: NewDataset): Promise<DatasetWriter> {
  await store.begin(dataset)
  return { dataset, ...addInBatches(store, dataset) }
}

/** Returns a writer of the examples of a dataset that was begun. */
export function addInBatches(store: DatasetStore, dataset: DatasetKey): Omit<DatasetWriter, 'dataset'> {
  const totals = contentTotals()
  let batch: StoredExample[] = []
  let bytes = 0
  const flush = async () => {
    const examples = batch
    batch = []
    bytes = 0
    if (examples.length > 0) await store.append(dataset, examples)
  }
  return {
    async add(line, provenance) {
      batch.push({ position: totals.read().exampleCount, line: line.text, sha256: line.sha256, ...provenance })
      totals.add(line)
      bytes += line.bytes
      if (bytes >= batchBytes || batch.length >= batchExamples) await flush()
    },
    async end() {
      await flush()
      return totals.read()
    },
  }
}

/** Runs `write`, and deletes the datasets when it fails. */
export async function orDiscard<T>(
  store: DatasetStore,
  datasets: readonly Pick<NewDataset, 'workspaceId' | 'id'>[],
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write()
  } catch (error) {
    for (const { workspaceId, id } of datasets) await store.delete({ workspaceId, id }).catch(() => undefined)
    throw error
  }
}
