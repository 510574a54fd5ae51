import type { ErrorCode } from '@ratchet/contracts/errors'
import type { Identity } from '@ratchet/contracts/identity'
import { GradeItem } from '@ratchet/contracts/labels'
import type { LogEntry } from '@ratchet/contracts/logs'
import { uuidOf } from '@ratchet/contracts/public-id'
import { LoggingIsOff, type LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import { FleetCallError } from '@ratchet/service-kit/fleet/fleet-client'
import { parseInput } from '@ratchet/service-kit/http/parse-input'
import { asServiceError, notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import { stratumKey } from '../calibration/strata.ts'
import type { CriterionStore } from '../criteria/criterion.ts'
import { createFindCriterion, type FindCriterion } from './find-criterion.ts'
import { runItemId } from './grading-frame.ts'
import type { NewLabel } from './label.ts'
import { labelOfEntry } from './label-of-entry.ts'
import type { GradingFrameStore, OfferedItem } from './pg-grading-frames.ts'
import type { LabelStore } from './pg-labels.ts'
import { pickedMethod } from './picked.ts'
import type { Redact } from './redact.ts'
import { readRationale, throwLogUnavailable } from './redact-rationale.ts'
import { verdictOf } from './verdict-of.ts'

export interface GradeDeps {
  readonly labels: Pick<LabelStore, 'add'>
  readonly criteria: Pick<CriterionStore, 'get'>
  readonly frames: Pick<GradingFrameStore, 'offered'>
  readonly log: Pick<LogReader, 'entry'>
  readonly redact: Redact
  readonly now: () => Date
  readonly newId: () => string
}

export interface GradeOrder {
  readonly identity: Identity
  /** Not validated yet. */
  readonly items: readonly unknown[]
}

export type GradeOutcome =
  | { readonly kind: 'created'; readonly id: string; readonly supersedes: boolean }
  | { readonly kind: 'refused'; readonly error: ServiceError }

/** An outcome as JSON. */
export type KeptOutcome =
  | Extract<GradeOutcome, { kind: 'created' }>
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly message: string; readonly param: string | null }

export function keptOutcome(outcome: GradeOutcome): KeptOutcome {
  if (outcome.kind === 'created') return outcome
  const { code, message, param } = outcome.error
  return { kind: 'refused', code, message, param }
}

export function outcomeOf(kept: KeptOutcome): GradeOutcome {
  if (kept.kind === 'created') return kept
  const { code, message, param } = kept
  return { kind: 'refused', error: new ServiceError(code, message, param === null ? {} : { param }) }
}

/** Number of items whose log entries are in memory at the same time. */
const batchSize = 25

/**
 * Grades log entries. A refused item does not affect the others. When some grades are stored and the next ones cannot be,
 * the rest is refused: a failure of the whole order would be repeated, and supersede the stored grades by themselves.
 */
export async function addGrades(deps: GradeDeps, { identity, items }: GradeOrder): Promise<readonly GradeOutcome[]> {
  const findCriterion = createFindCriterion(deps.criteria, identity.workspaceId)
  const outcomes: GradeOutcome[] = []
  for (let from = 0; from < items.length; from += batchSize) {
    try {
      outcomes.push(...(await addBatch(deps, { identity, items: items.slice(from, from + batchSize) }, findCriterion)))
    } catch (thrown) {
      if (!outcomes.some(({ kind }) => kind === 'created')) throw thrown
      const refused = { kind: 'refused', error: asServiceError(thrown) } as const
      return [...outcomes, ...items.slice(from).map(() => refused)]
    }
  }
  return outcomes
}

async function addBatch(
  deps: GradeDeps,
  { identity, items }: GradeOrder,
  findCriterion: FindCriterion,
): Promise<readonly GradeOutcome[]> {
  const readEntry = createReadEntry(deps.log, identity)
  const context = { ...deps, identity, findCriterion, readEntry, at: deps.now() }
  const graded = await Promise.all(items.map((item) => readGrade(context, item)))
  const drawn = await withDraws(deps.frames, graded)
  const read = await redactRationales(deps.redact, identity, drawn)
  const labels = read.flatMap((each) => (each instanceof ServiceError ? [] : [each]))
  const added = await deps.labels.add(labels, { skipsKnown: false })
  const supersedes = new Set(labels.filter((_, index) => isSuperseding(added[index])))
  return read.map((each) =>
    each instanceof ServiceError
      ? { kind: 'refused', error: each }
      : { kind: 'created', id: each.id, supersedes: supersedes.has(each) },
  )
}

function isSuperseding(added: Awaited<ReturnType<LabelStore['add']>>[number] | undefined): boolean {
  return added?.kind === 'created' && added.supersedes
}

/** A grade of an exchange or run that `next_to_grade` offered for the criterion has the sampling of that draw. */
export async function withDraws<T extends NewLabel | ServiceError>(
  frames: GradeDeps['frames'],
  graded: readonly T[],
): Promise<readonly T[]> {
  const unknown = graded.flatMap((each) => (isPicked(each) ? [each] : []))
  const draws = new Map<NewLabel, NewLabel['sampling']>()
  for (const [criterionId, labels] of Map.groupBy(unknown, (label) => label.criterionId)) {
    if (criterionId === null) continue
    const offered = await frames.offered(
      { workspaceId: labels[0]?.workspaceId ?? '', criterionId },
      labels.flatMap((label) => itemIdOf(label) ?? []),
    )
    for (const label of labels) draws.set(label, samplingOf(offered.get(itemIdOf(label) ?? '')) ?? label.sampling)
  }
  return graded.map((each) => (isPicked(each) ? { ...each, sampling: draws.get(each) ?? each.sampling } : each))
}

function itemIdOf({ unit, workspaceId, logId, traceId }: NewLabel): string | null {
  return unit === 'trace' && traceId !== null ? runItemId(workspaceId, traceId) : logId
}

function isPicked(each: NewLabel | ServiceError): each is NewLabel {
  return !(each instanceof ServiceError) && each.sampling?.method === pickedMethod
}

function samplingOf(offered: OfferedItem | undefined): NewLabel['sampling'] {
  if (offered === undefined) return null
  const { kind, frameId, stratum, probability } = offered
  return { method: kind, probability, stratum: stratumKey(frameId, stratum) }
}

/** The exchange was redacted when it was logged; rationales were not. */
async function redactRationales(
  redact: Redact,
  identity: Identity,
  graded: readonly (NewLabel | ServiceError)[],
): Promise<readonly (NewLabel | ServiceError)[]> {
  const written = graded.flatMap((each) => (isWritten(each) ? [each] : []))
  if (written.length === 0) return graded
  const documents = written.map(({ rationale }) => JSON.stringify({ rationale }))
  const redacted = await redact(identity, documents).catch(throwLogUnavailable)
  const clean = new Map(written.map((label, index) => [label.id, redacted[index] ?? null]))
  return graded.map((each) => (isWritten(each) ? withRationale(each, clean.get(each.id) ?? null) : each))
}

function isWritten(each: NewLabel | ServiceError): each is NewLabel {
  return !(each instanceof ServiceError) && each.rationale !== null
}

function withRationale(label: NewLabel, document: string | null): NewLabel | ServiceError {
  try {
    return { ...label, rationale: readRationale(document) }
  } catch (error) {
    return asRefusal(error)
  }
}

type ReadEntry = (logId: string) => Promise<LogEntry | null>

/** Reads each entry once, however many grades it gets. */
function createReadEntry(log: Pick<LogReader, 'entry'>, identity: Identity): ReadEntry {
  const entries = new Map<string, Promise<LogEntry | null>>()
  return (logId) => {
    const entry = entries.get(logId) ?? log.entry(identity, logId)
    entries.set(logId, entry)
    return entry
  }
}

interface GradeContext extends Pick<GradeDeps, 'newId'> {
  readonly identity: Identity
  readonly findCriterion: FindCriterion
  readonly readEntry: ReadEntry
  readonly at: Date
}

async function readGrade(context: GradeContext, sent: unknown): Promise<NewLabel | ServiceError> {
  try {
    const item = parseGrade(sent)
    const criterionId = await context.findCriterion(item.criterion_id)
    const logId = uuidOf('log', item.log_id)
    const entry = logId === null ? null : await context.readEntry(logId)
    if (logId === null || entry === null) {
      throw notFound('log entry', 'log_id')
    }
    return labelOfEntry({ ...context, item, entry, logId, criterionId, id: context.newId() })
  } catch (error) {
    return asRefusal(error)
  }
}

function parseGrade(sent: unknown): GradeItem {
  // Before the schema is applied, because a grade of a run has other fields.
  if ((sent as { unit?: unknown } | null)?.unit === 'trace') {
    throw new ServiceError('unsupported_unit', 'Whole runs are graded in the dashboard.', { param: 'unit' })
  }
  const item = parseInput(GradeItem, sent)
  verdictOf(item)
  return item
}

function asRefusal(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  if (error instanceof RangeError) {
    return new ServiceError('invalid_request', 'The exchange is nested too deeply.', { param: 'log_id' })
  }
  if (error instanceof LoggingIsOff) {
    return new ServiceError('logging_disabled', 'Request logging is off for this workspace.', { cause: error })
  }
  if (error instanceof FleetCallError && error.mayPass) {
    const options = { retryAfterSeconds: 1, cause: error }
    return new ServiceError('service_unavailable', 'The log is unavailable. Retry.', options)
  }
  throw error
}
