import type { DatasetStore, NewDataset, StoredExample } from '../domain/datasets/dataset-store.ts'
import { type ContentTotals, contentTotals, type ExampleLine } from '../domain/datasets/example-line.ts'

export interface Provenance {
  readonly sourceExchangeId: string | null
  readonly foldedTurns: number
}

export interface DatasetWriter {
  readonly dataset: NewDataset
  add(line: ExampleLine, provenance: Provenance): Promise<void>
  /** Writes what is still held back. */
  end(): Promise<ContentTotals>
}

/** What is held back at most before it is written. */
const batchBytes = 1024 * 1024
const batchExamples = 500

/** Writes the examples of one dataset, in batches. */
export async function beginDataset(store: DatasetStore, dataset: NewDataset): Promise<DatasetWriter> {
  const totals = contentTotals()
  let batch: StoredExample[] = []
  let bytes = 0
  await store.begin(dataset)
  const flush = async () => {
    const examples = batch
    batch = []
    bytes = 0
    if (examples.length > 0) await store.append(dataset.id, examples)
  }
  return {
    dataset,
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

/** Runs what writes datasets; when it fails, nothing of them is left. */
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
