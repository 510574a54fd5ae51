import type { Identity } from '@ratchet/contracts/identity'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { StoredDataset } from './dataset.ts'
import { type ExampleLine, lineOf } from './example-line.ts'
import { batchesOf, type ImportDeps } from './import-dataset.ts'
import { addInBatches } from './write-dataset.ts'

export interface Filling {
  readonly identity: Identity
  /** One that is being built. */
  readonly dataset: StoredDataset
  readonly examples: AsyncIterable<ExampleLine>
}

/**
 * Stores the examples of a dataset that is being built: redacted, each once, and in the order of their hashes, so that the same
 * examples have the same SHA-256. What an interrupted attempt stored is deleted first. The dataset is ready then.
 *
 * @throws ServiceError `quota_exceeded`
 */
export async function fillDataset(
  { datasets, redactor, now }: Pick<ImportDeps, 'datasets' | 'redactor' | 'now'>,
  { identity, dataset, examples }: Filling,
): Promise<void> {
  const lines = new Map<string, ExampleLine>()
  for await (const batch of batchesOf(examples)) {
    const texts = batch.map(({ text }) => text)
    const redacted = await redactor.examples(identity.workspaceId, texts)
    for (const [index, line] of batch.entries()) {
      const result = redacted[index]
      if (result?.kind !== 'done') throw new ServiceError('invalid_request', 'An example could not be redacted.')
      const clean = result.value.text === null ? line : lineOf(result.value.text)
      lines.set(clean.sha256, clean)
    }
  }
  await datasets.clear(dataset)
  const writer = addInBatches(datasets, dataset)
  const inOrder = [...lines.values()].toSorted((left, right) => (left.sha256 < right.sha256 ? -1 : 1))
  for (const line of inOrder) await writer.add(line, { sourceExchangeId: null, foldedTurns: 0 })
  const { id, name, description } = dataset
  const content = { ...(await writer.end()), id, name, description, siblingId: null, segments: [] }
  await datasets.freeze(identity, [content], now())
}
