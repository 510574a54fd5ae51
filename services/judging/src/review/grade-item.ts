import type { Identity } from '@ratchet/contracts/identity'
import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import { notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import { freezeExchange } from '../labels/freeze-exchange.ts'
import { runItemKey } from '../labels/grading-frame.ts'
import type { NewLabel } from '../labels/label.ts'
import type { Redact } from '../labels/redact.ts'
import { throwLogUnavailable } from '../labels/redact-rationale.ts'
import { requireLog } from '../runs/require-log.ts'
import type { GivenItem, ReviewGradeStore, StoredReviewGrade } from './pg-review-grades.ts'
import type { RoundSteps } from './pg-round-steps.ts'
import { readRoundRun } from './read-round-run.ts'
import type { Answer } from './round.ts'

export interface GradeItemDeps {
  readonly grades: ReviewGradeStore
  readonly log: Pick<LogReader, 'entry'>
  readonly roundSteps: RoundSteps
  readonly redact: Redact
  readonly now: () => Date
  readonly newId: () => string
}

export interface SentGrade {
  /** UUIDs. */
  readonly gradeId: string
  readonly claimId: string
  readonly itemId: string
  readonly answer: Answer
  readonly reasons: readonly string[]
  readonly rationale: string | null
  readonly shownMs: number
  /** Whether the last step of a run was on screen. */
  readonly seenAll: boolean
}

export interface GradedItem {
  readonly item: GivenItem
  readonly grade: StoredReviewGrade
}

/**
 * Stores what a person says about an item of a batch, once for each `gradeId`, however late it comes.
 *
 * @throws ServiceError `not_found` for items of others, `idempotency_conflict` for an id of another grade
 */
export async function gradeItem(deps: GradeItemDeps, identity: Identity, sent: SentGrade): Promise<GradedItem> {
  const { workspaceId, userId: graderId } = identity
  const item = await deps.grades.item({ workspaceId, graderId, claimId: sent.claimId, itemId: sent.itemId })
  if (item === null) throw notFound('item', 'item_id')
  const known = await deps.grades.get(workspaceId, sent.gradeId)
  const grade = known ?? (await add(deps, identity, { sent, item }))
  if (grade.itemId !== item.id || grade.graderId !== graderId || grade.answer !== sent.answer) {
    throw new ServiceError('idempotency_conflict', 'This grade_id was used for a different grade.', {
      param: 'grade_id',
    })
  }
  return { item, grade }
}

interface Order {
  readonly sent: SentGrade
  readonly item: GivenItem
}

async function add(deps: GradeItemDeps, identity: Identity, { sent, item }: Order): Promise<StoredReviewGrade> {
  const written = await redactWritten(deps.redact, identity, sent)
  const at = deps.now()
  const content = countsFor(item, sent.answer) ? await readGraded(deps, identity, item) : null
  const label =
    content === null || sent.answer === 'unsure' ? null : labelOf({ item, content, written, at }, sent.answer)
  return deps.grades.add({
    ...written,
    id: sent.gradeId,
    item,
    answer: sent.answer,
    shownMs: sent.shownMs,
    seenAll: item.unit === 'trace' ? sent.seenAll : null,
    at,
    label: label === null ? null : { ...label, id: deps.newId(), createdBy: identity.userId },
  })
}

/** Items that measure the grader say nothing about the judge. */
function countsFor({ kind, logId }: GivenItem, answer: Answer): boolean {
  return answer !== 'unsure' && logId !== null && (kind === 'new' || kind === 'double')
}

/** What a grade stores of its item. */
interface GradedContent
  extends Pick<NewLabel, 'unit' | 'logId' | 'traceId' | 'itemKey' | 'tag' | 'segment' | 'snapshot'> {}

async function readGraded(
  { log, roundSteps }: GradeItemDeps,
  identity: Identity,
  { logId, traceId, workspaceId, roundId, criterionId }: GivenItem,
): Promise<GradedContent | null> {
  if (traceId !== null) {
    const round = { workspaceId, id: roundId, criterionId }
    const run = await readRoundRun({ log, roundSteps }, { identity, round, traceId })
    if (run === null) return null
    const { steps, content } = run
    const { tag, segment } = steps
    const itemKey = runItemKey(traceId)
    return { unit: 'trace', logId: null, traceId, itemKey, tag, segment, snapshot: freezeExchange(content) }
  }
  const entry = logId === null ? null : await requireLog(() => log.entry(identity, logId))
  if (entry === null) return null
  const { tag, segment, trace_id } = entry
  const snapshot = freezeExchange(entry)
  return { unit: 'request', logId, traceId: trace_id, itemKey: logId ?? '', tag, segment, snapshot }
}

interface Written {
  readonly reasons: readonly string[]
  readonly rationale: string | null
}

/** Redacts what the person wrote; the exchange was redacted when it was logged. */
async function redactWritten(redact: Redact, identity: Identity, { reasons, rationale }: SentGrade): Promise<Written> {
  if (rationale === null && reasons.length === 0) return { reasons, rationale }
  const [document = null] = await redact(identity, [JSON.stringify({ reasons, rationale })]).catch(throwLogUnavailable)
  if (document === null) {
    throw new ServiceError('invalid_request', 'The rationale cannot be redacted.', { param: 'rationale' })
  }
  return JSON.parse(document) as Written
}

interface LabelFacts {
  readonly item: GivenItem
  readonly content: GradedContent
  readonly written: Written
  readonly at: Date
}

function labelOf(
  { item, content, written, at }: LabelFacts,
  label: NewLabel['label'],
): Omit<NewLabel, 'id' | 'createdBy'> {
  const lines = [...written.reasons, ...(written.rationale === null ? [] : [written.rationale])]
  return {
    ...content,
    workspaceId: item.workspaceId,
    criterionId: item.criterionId,
    label,
    rationale: lines.length === 0 ? null : lines.join('\n'),
    graderId: item.graderId,
    source: 'review_queue',
    blind: true,
    externalId: null,
    sampling: null,
    createdAt: at,
  }
}
