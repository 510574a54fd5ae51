import { mebibyte } from '@ratchet/contracts/byte-sizes'
import type { Identity } from '@ratchet/contracts/identity'
import { TrainingExample } from '@ratchet/contracts/training-example'
import { parseInput } from '@ratchet/service-kit/http/parse-input'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { mayLoseDigits, parseExact } from '@ratchet/service-kit/values/exact-json'
import { asList, asObject } from '@ratchet/service-kit/values/json'
import { jsonLines, LineTooLong } from '@ratchet/service-kit/values/json-lines'
import { type Redaction, redactKnown } from '../redaction/redact-exchange.ts'
import type { Redactor } from '../redaction/redactor.ts'
import type { CurateDeps } from './curate-from-logs.ts'
import type { NewDataset, StoredDataset } from './dataset.ts'
import { type ExampleLine, exampleLine, lineOf } from './example-line.ts'
import { beginDataset, type DatasetWriter, orDiscard } from './write-dataset.ts'

export interface ImportDeps extends Pick<CurateDeps, 'datasets' | 'now' | 'newId'> {
  readonly redactor: Pick<Redactor, 'examples'>
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
  readonly examples: AsyncIterable<TrainingExample> | Iterable<TrainingExample>
  /** Awaited after all examples were read, because a form may send it last. */
  readonly title: DatasetTitle | Promise<DatasetTitle>
}

/** Maximum bytes of one line of an uploaded file. */
const maxLineBytes = 8 * mebibyte
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
  { identity, examples, title }: Import,
): Promise<ImportedDataset> {
  const dataset: NewDataset = {
    id: newId(),
    workspaceId: identity.workspaceId,
    name: '',
    description: null,
    kind: 'train',
    source: 'upload',
    filters: {},
    criterionId: null,
    holdoutPct: null,
    createdBy: identity.userId,
    createdAt: now(),
  }
  const writer = await beginDataset(datasets, dataset)
  return orDiscard(datasets, [dataset], async () => {
    const found = sumOfRedactions()
    for await (const lines of batchesOf(examples)) await writeRedacted(lines, { writer, redactor, found })
    const totals = await writer.end()
    if (totals.exampleCount === 0)
      throw new ServiceError('invalid_request', 'There are no examples.', { param: 'file' })
    const { name, description } = await title
    const clean = redactKnown({ description }, { name })
    found.add(clean.redaction)
    const content = { ...totals, ...clean.identifiers, ...clean.content, siblingId: null, segments: [] }
    await datasets.freeze(dataset, [{ id: dataset.id, ...content }], now())
    return { dataset: { ...dataset, ...content }, redaction: found.read() }
  })
}

interface Writing extends Pick<ImportDeps, 'redactor'> {
  readonly writer: DatasetWriter
  readonly found: ReturnType<typeof sumOfRedactions>
}

async function writeRedacted(lines: readonly ExampleLine[], { writer, redactor, found }: Writing): Promise<void> {
  const redacted = await redactor.examples(lines.map(({ text }) => text))
  for (const [index, line] of lines.entries()) {
    const example = redacted[index]
    if (example?.kind !== 'done') throw new ServiceError('invalid_request', 'An example could not be redacted.')
    const { text, redaction } = example.value
    found.add(redaction)
    await writer.add(text === null ? line : lineOf(text), { sourceExchangeId: null, foldedTurns: 0 })
  }
}

async function* batchesOf(examples: Import['examples']): AsyncGenerator<readonly ExampleLine[]> {
  let lines: ExampleLine[] = []
  let length = 0
  for await (const example of examples) {
    const line = exampleLine(example)
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
    const example = parseInput(TrainingExample, value)
    return mayLoseDigits(text) ? withExactContent(example, parseExact(text)) : example
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    throw atLine(number, `is not a training example: ${error.message}`)
  }
}

/** The example with all numbers in its messages and tools as they were written. */
function withExactContent(example: TrainingExample, exact: unknown): TrainingExample {
  const { messages, tools } = asObject(exact) ?? {}
  const kept = asList(messages)
  return {
    ...example,
    messages: example.messages.map((message, index) => {
      const { content, weight } = message
      const read = asObject(kept[index]) ?? {}
      return { ...message, ...read, content: (read.content ?? content) as typeof content, weight }
    }),
    ...(example.tools === undefined ? {} : { tools: asList(tools) as TrainingExample['tools'] }),
  }
}

function atLine(number: number, problem: string): ServiceError {
  return new ServiceError('invalid_request', `Line ${number} ${problem}`, { param: `file.${number}` })
}
