import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Identity } from '@ratchet/contracts/identity'
import { ImportedGrade, type LabelImportSummary } from '@ratchet/contracts/labels'
import { allLines } from '@ratchet/service-kit/json-lines'
import { parseInput } from '@ratchet/service-kit/parse-input'
import { ServiceError } from '@ratchet/service-kit/service-error'
import type { CriterionStore } from '../criteria/criterion.ts'
import { createFindCriterion, type FindCriterion } from './find-criterion.ts'
import { createImportSummary, type ImportSummary } from './import-summary.ts'
import { gradeKeyText, type NewLabel } from './label.ts'
import { labelOfImport, textsOf } from './label-of-import.ts'
import type { LabelStore } from './label-store.ts'
import type { GradedTexts, Redact } from './redact.ts'
import { verdictOf } from './verdict-of.ts'

export interface ImportDeps {
  readonly labels: Pick<LabelStore, 'add'>
  readonly criteria: Pick<CriterionStore, 'get'>
  readonly redact: Redact
  readonly now: () => Date
  readonly newId: () => string
}

export interface ImportOrder {
  readonly identity: Identity
  /** Of lines that name none, as the caller wrote it. */
  readonly criterionId: string | undefined
  readonly content: AsyncIterable<Uint8Array>
  /** Resolves when nothing can be wrong any more with what the content came in; the last of it is kept only then. */
  readonly confirm: () => Promise<void>
}

interface ReadLine {
  readonly number: number
  readonly grade: ImportedGrade
  /** JSON of its {@link GradedTexts}. */
  readonly document: string
  readonly criterionId: string | null
}

interface Import {
  readonly deps: ImportDeps
  readonly identity: Identity
  readonly summary: ImportSummary
  readonly findCriterion: FindCriterion
  readonly defaultCriterion: string | undefined
  /** What the lines until now said, by the keys of their grades. */
  readonly said: Map<string, Saying>
}

interface Saying {
  readonly line: number
  readonly hash: string
}

export const maxImportBytes = 64 * 1024 * 1024
const maxLineBytes = 1_048_576
const maxLines = 50_000
/** What is redacted and stored together. */
const batchLines = 200
const batchBytes = 4 * 1024 * 1024

/**
 * Takes grades that were given elsewhere, a batch of them in memory at a time. What is known is left out, so that the
 * same import may be sent again; a line that is wrong costs itself alone.
 *
 * @throws ServiceError `not_found` for the criterion of the whole import, 400 where there is no line, 413 for too many
 *   of them, `service_unavailable` when grades cannot be written: what was imported until then stays
 */
export async function importLabels(deps: ImportDeps, order: ImportOrder): Promise<LabelImportSummary> {
  const { identity, criterionId: defaultCriterion } = order
  const findCriterion = createFindCriterion(deps.criteria, identity.workspaceId)
  await findCriterion(defaultCriterion)
  const summary = createImportSummary()
  const job: Import = { deps, identity, summary, findCriterion, defaultCriterion, said: new Map() }
  let batch: ReadLine[] = []
  let bytes = 0
  for await (const { number, text } of allLines(order.content, maxLineBytes)) {
    if (summary.line() > maxLines) throw tooManyLines()
    await nextTurn()
    const line = await readLine(job, number, text)
    if (line === null) continue
    batch.push(line)
    bytes += Buffer.byteLength(line.document)
    if (batch.length < batchLines && bytes < batchBytes) continue
    await keep(job, batch)
    batch = []
    bytes = 0
  }
  await order.confirm()
  await keep(job, batch)
  return summary.read()
}

/** Null for a line that is refused, which is told of. */
async function readLine(job: Import, number: number, text: string | null): Promise<ReadLine | null> {
  try {
    const grade = parseInput(ImportedGrade, parseJson(text))
    verdictOf(grade)
    const criterionId = await job.findCriterion(grade.criterion_id ?? job.defaultCriterion)
    return { number, grade, criterionId, document: JSON.stringify(textsOf(grade)) }
  } catch (error) {
    job.summary.refused(number, asRefusal(error))
    return null
  }
}

function parseJson(text: string | null): unknown {
  if (text === null) {
    throw new ServiceError('request_too_large', `The line is longer than ${maxLineBytes} bytes.`)
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new ServiceError('invalid_request', 'The line is not JSON.')
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new ServiceError('invalid_request', 'The line must be an object.')
}

/** JSON may be nested deeper than it can be written again. */
function asRefusal(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  if (error instanceof RangeError) return new ServiceError('invalid_request', 'The line is nested too deeply.')
  throw error
}

async function keep(job: Import, lines: readonly ReadLine[]): Promise<void> {
  if (lines.length === 0) return
  const { deps, identity, summary } = job
  const given = lines.map(({ document }) => document)
  const documents = await deps.redact(identity, given).catch(throwUnavailable)
  const labels = lines.flatMap((line, index) => {
    const label = makeLabel(job, line, documents[index] ?? null)
    return label !== null && isNew(job, label, line.number) ? [label] : []
  })
  summary.added(await deps.labels.add(labels, { skipsKnown: true }).catch(throwUnavailable))
}

function throwUnavailable(cause: unknown): never {
  const message = 'The grades cannot be kept now. What was imported stays: send the same again for the rest.'
  throw new ServiceError('service_unavailable', message, { retryAfterSeconds: 1, cause })
}

/** Null for a line that is refused, which is told of. */
function makeLabel({ deps, identity, summary }: Import, line: ReadLine, document: string | null): NewLabel | null {
  const { number, grade, criterionId } = line
  try {
    if (document === null) throw new ServiceError('invalid_request', 'The line cannot be redacted.')
    const texts = JSON.parse(document) as GradedTexts
    return labelOfImport({ line: grade, texts, criterionId, identity, id: deps.newId(), at: deps.now() })
  } catch (error) {
    summary.refused(number, asRefusal(error))
    return null
  }
}

/** Whether nothing was said yet of the item by its grader; a file that contradicts itself decides nothing. */
function isNew({ said, summary }: Import, label: NewLabel, line: number): boolean {
  const key = gradeKeyText(label)
  const saying = [label.label, label.rationale, label.sampling?.probability, label.snapshot.sha256]
  const hash = createHash('sha256').update(JSON.stringify(saying)).digest('base64')
  const before = said.get(key)
  said.set(key, before ?? { line, hash })
  if (before === undefined) return true
  if (before.hash === hash) summary.known()
  else summary.refused(line, contradiction(before))
  return false
}

function contradiction({ line }: Saying): ServiceError {
  const message = `Line ${line} has another grade of the same item by the same grader: name the graders, or send one of the lines.`
  return new ServiceError('conflict', message, { param: 'label' })
}

function tooManyLines(): ServiceError {
  const message = `There may be ${maxLines} lines: send the file in parts. What was imported of it stays, once.`
  return new ServiceError('request_too_large', message)
}
