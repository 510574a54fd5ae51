import { setImmediate as nextTurn } from 'node:timers/promises'
import { mebibyte } from '@ratchet/contracts/byte-sizes'
import type { Identity } from '@ratchet/contracts/identity'
import { invalidRequest, ServiceError } from '@ratchet/service-kit/http/service-error'
import { jsonLines, LineTooLong } from '@ratchet/service-kit/values/json-lines'
import { tooDeepMessage } from '../exchanges/content-limits.ts'
import { type Redaction, redactKnown } from '../redaction/redact-exchange.ts'
import type { Redactor } from '../redaction/redactor.ts'
import { errorOf } from '../threads/refusal.ts'
import type { CurateDeps } from './curate-from-logs.ts'
import { builtAtOnce, type NewDataset, type StoredDataset } from './dataset.ts'
import { type ExampleLine, lineOf } from './example-line.ts'
import type { ExampleOrder, ExampleReader, ExampleResult } from './read-example.ts'
import { beginDataset, type DatasetWriter, orDiscard } from './write-dataset.ts'

export interface ImportDeps extends Pick<CurateDeps, 'datasets' | 'now' | 'newId'> {
  readonly redactor: Pick<Redactor, 'examples'>
  readonly uploads: ExampleReader
}

export interface ImportedDataset {
  readonly dataset: StoredDataset
  /** Redacted secrets of the examples and of the title. */
  readonly redaction: Redaction
}

export interface DatasetTitle {
  readonly name: string
  readonly description: string | null
}

export interface Import {
  readonly identity: Identity
  readonly format: ExampleOrder['format']
  readonly examples: AsyncIterable<ExampleLine>
  /** Awaited after all examples were read, because a form may send it last. */
  readonly title: DatasetTitle | Promise<DatasetTitle>
}

/** Maximum bytes of an example as JSON. It may contain images. */
export const maxExampleBytes = 8 * mebibyte
const tooLong = `is longer than ${maxExampleBytes} bytes.`
/** Limits of a batch that is redacted together: examples, and UTF-16 units of their lines. */
const maxBatchExamples = 500
const maxBatchLength = mebibyte

/**
 * Creates a dataset from uploaded examples. They are redacted before they are stored, counted and hashed.
 *
 * @throws ServiceError 400 when there is no example
 */
export async function importDataset(
  { datasets, redactor, now, newId }: ImportDeps,
  { identity, format, examples, title }: Import,
): Promise<ImportedDataset> {
  const { workspaceId } = identity
  const dataset: NewDataset = {
    id: newId(),
    workspaceId,
    name: '',
    description: null,
    kind: 'train',
    source: 'upload',
    format,
    filters: {},
    criterionId: null,
    holdoutPct: null,
    createdBy: identity.userId,
    createdAt: now(),
  }
  const writer = await beginDataset(datasets, dataset)
  return orDiscard(datasets, [dataset], async () => {
    const found = sumOfRedactions()
    for await (const lines of batchesOf(examples)) await writeRedacted(lines, { workspaceId, writer, redactor, found })
    const totals = await writer.end()
    if (totals.exampleCount === 0)
      throw new ServiceError('invalid_request', 'There are no examples.', { param: 'file' })
    const { name, description } = await title
    const clean = redactKnown({ description }, { name })
    found.add(clean.redaction)
    const content = { ...totals, ...clean.identifiers, ...clean.content, siblingId: null, segments: [] }
    await datasets.freeze(dataset, [{ id: dataset.id, ...content }], now())
    return { dataset: { ...dataset, ...content, building: builtAtOnce }, redaction: found.read() }
  })
}

interface Writing extends Pick<ImportDeps, 'redactor'> {
  readonly workspaceId: string
  readonly writer: DatasetWriter
  readonly found: ReturnType<typeof sumOfRedactions>
}

async function writeRedacted(
  lines: readonly ExampleLine[],
  { workspaceId, writer, redactor, found }: Writing,
): Promise<void> {
  const texts = lines.map(({ text }) => text)
  const redacted = await redactor.examples(workspaceId, texts)
  for (const [index, line] of lines.entries()) {
    const example = redacted[index]
    if (example?.kind !== 'done') throw new ServiceError('invalid_request', 'An example could not be redacted.')
    const { text, redaction } = example.value
    found.add(redaction)
    await writer.add(text === null ? line : lineOf(text), { sourceExchangeId: null, foldedTurns: 0 })
  }
}

/** Examples that are redacted together. */
export async function* batchesOf(examples: Import['examples']): AsyncGenerator<readonly ExampleLine[]> {
  let lines: ExampleLine[] = []
  let length = 0
  for await (const line of examples) {
    lines.push(line)
    length += line.text.length
    if (lines.length < maxBatchExamples && length < maxBatchLength) continue
    yield lines
    lines = []
    length = 0
  }
  if (lines.length > 0) yield lines
}

function sumOfRedactions(): { add(redaction: Redaction): void; read(): Redaction } {
  let count = 0
  const kinds = new Set<Redaction['kinds'][number]>()
  return {
    add(redaction) {
      count += redaction.count
      for (const kind of redaction.kinds) kinds.add(kind)
    },
    read: () => ({ count, kinds: [...kinds].toSorted() }),
  }
}

/** Whose examples are read, and as what. */
export type ExampleOrigin = Pick<ExampleOrder, 'workspaceId' | 'format'>

/**
 * Reads a file of training examples, one per line.
 *
 * @throws ServiceError 400 that names the line
 */
export async function* readExamples(
  { uploads }: Pick<ImportDeps, 'uploads'>,
  of: ExampleOrigin,
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<ExampleLine> {
  try {
    for await (const { number, text } of jsonLines(content, maxExampleBytes)) {
      const result = await uploads.example({ ...of, text, path: [] })
      if (result.kind !== 'read') throw atLine(number, problemOf(result))
      yield lineOf(result.text)
    }
  } catch (error) {
    if (!(error instanceof LineTooLong)) throw error
    throw atLine(error.lineNumber, tooLong)
  }
}

/**
 * Reads the examples of a list, each as JSON.
 *
 * @throws ServiceError 400 that names the wrong field of the first wrong example
 */
export async function* readListed(
  { uploads }: Pick<ImportDeps, 'uploads'>,
  of: ExampleOrigin,
  list: AsyncIterable<string | null>,
): AsyncGenerator<ExampleLine> {
  let index = 0
  for await (const text of list) {
    const path = ['examples', index]
    const refusal = (problem: string) => invalidRequest(path.join('.'), `\`${path.join('.')}\` ${problem}`)
    if (text === null) throw refusal(tooLong)
    const result = await uploads.example({ ...of, text, path })
    if (result.kind === 'refused') throw errorOf(result)
    if (result.kind !== 'read') throw refusal(problemOf(result))
    yield lineOf(result.text)
    await nextTurn()
    index += 1
  }
  if (index === 0) throw invalidRequest('examples', '`examples` must not be empty.')
}

function problemOf(result: Exclude<ExampleResult, { kind: 'read' }>): string {
  if (result.kind === 'too-deep') return tooDeepMessage
  if (result.kind === 'too-large') return 'has too many values, or takes too much memory to read.'
  if (result.kind === 'not-json') return 'is not JSON.'
  return `is not a training example: ${result.message}`
}

function atLine(number: number, problem: string): ServiceError {
  return new ServiceError('invalid_request', `Line ${number} ${problem}`, { param: `file.${number}` })
}
