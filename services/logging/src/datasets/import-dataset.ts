import type { Identity } from '@ratchet/contracts/identity'
import { TrainingExample } from '@ratchet/contracts/training-example'
import { parseInput } from '@ratchet/service-kit/mount'
import { ServiceError } from '@ratchet/service-kit/service-error'
import type { NewDataset, StoredDataset } from '../domain/datasets/dataset-store.ts'
import { exampleLine } from '../domain/datasets/example-line.ts'
import { jsonLines, LineTooLong } from '../domain/datasets/json-lines.ts'
import type { CurateDeps } from './curate-from-logs.ts'
import { beginDataset, orDiscard } from './write-dataset.ts'

export interface DatasetTitle {
  readonly name: string
  readonly description: string | null
}

export interface Import {
  readonly identity: Identity
  readonly examples: AsyncIterable<TrainingExample> | Iterable<TrainingExample>
  /** Awaited when all examples were read: a form may tell it last. */
  readonly title: DatasetTitle | Promise<DatasetTitle>
}

/** Bytes of one line of an uploaded file. */
const maxLineBytes = 8 * 1024 * 1024

/**
 * Makes a dataset of examples that somebody brings.
 *
 * @throws ServiceError 400 when there are none
 */
export async function importDataset(
  { datasets, now, newId }: Omit<CurateDeps, 'exchanges'>,
  { identity, examples, title }: Import,
): Promise<StoredDataset> {
  const dataset: NewDataset = {
    ...{ id: newId(), workspaceId: identity.workspaceId, name: '', description: null, kind: 'train', source: 'upload' },
    ...{ filters: {}, criterionId: null, holdoutPct: null, createdBy: identity.userId, createdAt: now() },
  }
  const writer = await beginDataset(datasets, dataset)
  return orDiscard(datasets, [dataset], async () => {
    for await (const example of examples)
      await writer.add(exampleLine(example), { sourceExchangeId: null, foldedTurns: 0 })
    const totals = await writer.end()
    if (totals.exampleCount === 0)
      throw new ServiceError('invalid_request', 'There are no examples.', { param: 'file' })
    const content = { ...totals, ...(await title), siblingId: null, segments: [] }
    await datasets.freeze([{ id: dataset.id, ...content }], now())
    return { ...dataset, ...content }
  })
}

/**
 * Reads a file of training examples, one per line.
 *
 * @throws ServiceError 400 that names the line
 */
export async function* readExamples(content: AsyncIterable<Uint8Array>): AsyncGenerator<TrainingExample> {
  try {
    for await (const { number, text } of jsonLines(content, maxLineBytes)) yield readExample(text, number)
  } catch (error) {
    if (!(error instanceof LineTooLong)) throw error
    throw atLine(error.lineNumber, `is longer than ${maxLineBytes} bytes.`)
  }
}

function readExample(text: string, number: number): TrainingExample {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw atLine(number, 'is not JSON.')
  }
  try {
    return parseInput(TrainingExample, value)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    throw atLine(number, `is no training example: ${error.param ?? 'it'}: ${error.message}`)
  }
}

function atLine(number: number, problem: string): ServiceError {
  return new ServiceError('invalid_request', `Line ${number} ${problem}`, { param: `file.${number}` })
}
