import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { mebibyte } from '@ratchet/contracts/byte-sizes'
import type { Identity } from '@ratchet/contracts/identity'
import { ImportedGrade, type LabelImportSummary } from '@ratchet/contracts/labels'
import { parseInput } from '@ratchet/service-kit/http/parse-input'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { type Fields, isObject, parseJson } from '@ratchet/service-kit/values/json'
import { allLines } from '@ratchet/service-kit/values/json-lines'
import { isOverQuota } from '@ratchet/work-kit/storage/within-quota'
import type { CriterionStore } from '../criteria/criterion.ts'
import { createFindCriterion, type FindCriterion } from './find-criterion.ts'
import { createImportSummary, type ImportSummary } from './import-summary.ts'
import { gradeKeyText, type NewLabel } from './label.ts'
import { labelOfImport, textsOf } from './label-of-import.ts'
import type { LabelStore } from './pg-labels.ts'
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
  /** Public id of the criterion of lines that name none. */
  readonly criterionId: string | undefined
  readonly content: AsyncIterable<Uint8Array>
  /** Resolves when the rest of the request is valid; the last batch is stored only then. */
  readonly confirm: () => Promise<void>
}

interface ReadLine {
  readonly number: number
  readonly grade: ImportedGrade
  /** JSON of {@link GradedTexts}. */
  readonly document: string
  readonly criterionId: string | null
}

interface Import {
  readonly deps: ImportDeps
  readonly identity: Identity
  readonly summary: ImportSummary
  readonly findCriterion: FindCriterion
  readonly defaultCriterion: string | undefined
  /** Earlier lines of this import, by the keys of their grades. */
  readonly earlier: Map<string, EarlierLine>
}

interface EarlierLine {
  readonly line: number
  readonly hash: string
}

const maxLineBytes = mebibyte
const maxLines = 50_000
const batchLines = 200
const batchBytes = 4 * mebibyte

/**
 * Imports grades, one batch in memory at a time. Known grades are left out, so that an import may be repeated. An invalid
 * line does not affect the others.
 *
 * @throws ServiceError `not_found` for the criterion of the whole import, 400 without lines, 413 with too many lines,
 *   `quota_exceeded`, or `service_unavailable` when grades cannot be stored; earlier batches remain stored
 */
export async function importLabels(deps: ImportDeps, order: ImportOrder): Promise<LabelImportSummary> {
  const { identity, criterionId: defaultCriterion } = order
  const findCriterion = createFindCriterion(deps.criteria, identity.workspaceId)
  await findCriterion(defaultCriterion)
  const summary = createImportSummary()
  const job: Import = { deps, identity, summary, findCriterion, defaultCriterion, earlier: new Map() }
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
    await store(job, batch)
    batch = []
    bytes = 0
  }
  await order.confirm()
  await store(job, batch)
  return summary.read()
}

/** Null for a refused line, which the summary lists. */
async function readLine(job: Import, number: number, text: string | null): Promise<ReadLine | null> {
  try {
    const grade = parseInput(ImportedGrade, parseLine(text))
    verdictOf(grade)
    const criterionId = await job.findCriterion(grade.criterion_id ?? job.defaultCriterion)
    return { number, grade, criterionId, document: JSON.stringify(textsOf(grade)) }
  } catch (error) {
    job.summary.refused(number, asRefusal(error))
    return null
  }
}

function parseLine(text: string | null): Fields {
  if (text === null) {
    throw new ServiceError('request_too_large', `The line is longer than ${maxLineBytes} bytes.`)
  }
  const value = parseJson(text)
  if (value === undefined) throw new ServiceError('invalid_request', 'The line is not JSON.')
  if (isObject(value)) return value
  throw new ServiceError('invalid_request', 'The line must be an object.')
}

/** JSON that can be parsed may be nested too deeply to be serialized. */
function asRefusal(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  if (error instanceof RangeError) return new ServiceError('invalid_request', 'The line is nested too deeply.')
  throw error
}

async function store(job: Import, lines: readonly ReadLine[]): Promise<void> {
  if (lines.length === 0) return
  const { deps, identity, summary } = job
  const given = lines.map(({ document }) => document)
  const documents = await deps.redact(identity, given).catch(throwUnavailable)
  const labels: NewLabel[] = []
  for (const [index, line] of lines.entries()) {
    // A line of a megabyte takes tens of milliseconds.
    await nextTurn()
    const label = makeLabel(job, line, documents[index] ?? null)
    if (label !== null && isNew(job, label, line.number)) labels.push(label)
  }
  summary.added(await deps.labels.add(labels, { skipsKnown: true }).catch(throwUnavailable))
}

function throwUnavailable(cause: unknown): never {
  if (isOverQuota(cause)) throw cause
  const message = 'The grades cannot be stored now. Earlier lines are imported. Send the same file again for the rest.'
  throw new ServiceError('service_unavailable', message, { retryAfterSeconds: 1, cause })
}

/** Null for a refused line, which the summary lists. */
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

/** Whether no earlier line has a grade of the item by the same grader. A different one is refused. */
function isNew({ earlier, summary }: Import, label: NewLabel, line: number): boolean {
  const key = gradeKeyText(label)
  const content = [label.label, label.rationale, label.sampling?.probability, label.snapshot.sha256]
  const hash = createHash('sha256').update(JSON.stringify(content)).digest('base64')
  const before = earlier.get(key)
  earlier.set(key, before ?? { line, hash })
  if (before === undefined) return true
  if (before.hash === hash) summary.known()
  else summary.refused(line, contradiction(before))
  return false
}

function contradiction({ line }: EarlierLine): ServiceError {
  const message = `Line ${line} has another grade of the same item by the same grader. Set \`grader\`, or send only one of the lines.`
  return new ServiceError('conflict', message, { param: 'label' })
}

function tooManyLines(): ServiceError {
  const message = `At most ${maxLines} lines are allowed. Send the file in parts. Lines that were imported are not imported twice.`
  return new ServiceError('request_too_large', message)
}
