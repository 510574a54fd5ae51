import { mebibyte } from '@ratchet/contracts/byte-sizes'
import { stringify } from 'csv-stringify/sync'
import { logIdOf } from '../logs/log-id.ts'
import type { Page, StoredDataset, StoredExample } from './dataset.ts'
import { csvColumns, csvLine, type ExportedExample, jsonlFormats } from './export-formats.ts'
import type { DatasetStore } from './pg-datasets.ts'

export type ExportFormat = keyof typeof jsonlFormats | 'csv'

/** Approximate bytes of examples that are in memory at a time. */
const heldBytes = 4 * mebibyte
const heldExamples = 500

/** The lines of a dataset in a format, some examples in memory at a time. */
export async function* exportDataset(
  store: DatasetStore,
  dataset: StoredDataset,
  format: ExportFormat,
): AsyncGenerator<string> {
  if (format === 'csv') yield stringify([[...csvColumns]])
  const lineOf = format === 'csv' ? csvLine : (example: ExportedExample) => `${jsonlFormats[format](example)}\n`
  const all = { offset: 0, limit: dataset.exampleCount }
  for await (const example of readExamplesOf(store, dataset, all)) yield lineOf(exportedOf(example))
}

/** The examples of a page, read in batches whose size depends on the average example. */
export async function* readExamplesOf(
  store: DatasetStore,
  dataset: StoredDataset,
  { offset, limit }: Page,
): AsyncGenerator<StoredExample> {
  const average = dataset.sizeBytes / Math.max(1, dataset.exampleCount)
  const atOnce = Math.max(1, Math.min(heldExamples, Math.floor(heldBytes / Math.max(1, average))))
  const end = Math.min(offset + limit, dataset.exampleCount)
  for (let from = offset; from < end; from += atOnce) {
    const examples = await store.examples(dataset, { offset: from, limit: Math.min(atOnce, end - from) })
    if (examples.length === 0) throw new Error('the dataset was deleted while it was read')
    yield* examples
  }
}

function exportedOf({ position, line, sourceExchangeId }: StoredExample): ExportedExample {
  return {
    index: position,
    text: line,
    sourceLogId: sourceExchangeId === null ? null : logIdOf(sourceExchangeId),
  }
}
