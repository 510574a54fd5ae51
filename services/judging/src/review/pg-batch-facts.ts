import type { Verdict } from '@ratchet/contracts/criteria'
import type { PoolClient } from '@ratchet/db/connect-pool'
import { type FrameItem, runItemId } from '../labels/grading-frame.ts'
import { majorityOf } from '../labels/majority.ts'
import type { GradedBefore, KnownItem } from './compose-batch.ts'
import type { Answer, Grader, ItemKind } from './round.ts'

export interface GivenItem {
  readonly logId: string | null
  readonly stratum: string | null
  readonly labelId: string | null
  readonly graderId: string
  readonly kind: ItemKind
  readonly answer: Answer | null
  /** The grade of the judge that the answer became. */
  readonly gradeId: string | null
  /** Whether it is graded, or its lease is alive. */
  readonly isHeld: boolean
}

/** The state of a round, as far as the batches of one person depend on it. */
export async function readBatchFacts(client: PoolClient, { round, graderId }: Grader, at: Date) {
  const { workspaceId, id: roundId, criterionId, unit } = round
  const given = (await client.query<GivenRow>(givenStatement, [workspaceId, roundId, at])).rows.map(givenOf)
  const frame = (await client.query<FrameRow>(frameStatement, [workspaceId, roundId])).rows
  const known = (await client.query<KnownRow>(knownStatement, [workspaceId, criterionId, graderId, unit])).rows.map(
    (row) => knownOf(workspaceId, row),
  )
  const ofFrame = given.filter((item) => item.logId !== null && (item.kind === 'new' || item.kind === 'double'))
  const held = Map.groupBy(
    ofFrame.filter(({ isHeld }) => isHeld),
    ({ logId }) => logId ?? '',
  )
  const own = given.filter((item) => item.graderId === graderId)
  const frameItems = frame.map((row) => frameItemOf(row, held.get(row.log_id) ?? []))
  const waiting = new Set(frameItems.filter(({ isGraded }) => !isGraded).map(({ logId }) => logId))
  return {
    frameItems,
    ofOthers: [...held].flatMap(([logId, items]) => othersItem(logId, items, graderId)),
    own: gradedBefore(own),
    known: knownItems(known, own, waiting),
    given: countKinds(own),
    knownFails: knownFailsOf(own, known),
  }
}

/** In the order in which they were given. */
const givenStatement = `
  SELECT i.log_id, i.stratum, i.label_id, i.grader_id, i.kind, last.label AS answer, last.label_id AS grade_id,
    last.label IS NOT NULL OR c.leased_until > $3 AS held
  FROM review_item i JOIN review_claim c ON c.id = i.claim_id AND c.workspace_id = $1
  LEFT JOIN LATERAL (SELECT label, label_id FROM review_grade g WHERE g.item_id = i.id AND g.workspace_id = $1 AND g.blind
    ORDER BY g.position DESC LIMIT 1) last ON true
  WHERE i.workspace_id = $1 AND i.round_id = $2 ORDER BY c.batch, i.place`

interface GivenRow {
  readonly log_id: string | null
  readonly stratum: string | null
  readonly label_id: string | null
  readonly grader_id: string
  readonly kind: ItemKind
  readonly answer: Answer | null
  readonly grade_id: string | null
  readonly held: boolean
}

function givenOf(row: GivenRow): GivenItem {
  const { log_id: logId, label_id: labelId, grader_id: graderId, grade_id: gradeId, held: isHeld } = row
  return { logId, labelId, graderId, gradeId, isHeld, kind: row.kind, stratum: row.stratum, answer: row.answer }
}

const frameStatement = `
  SELECT log_id, stratum, offered_at IS NOT NULL AS offered FROM grading_frame_item
  WHERE workspace_id = $1 AND frame_id = $2 AND missing_at IS NULL`

interface FrameRow {
  readonly log_id: string
  readonly stratum: string
  readonly offered: boolean
}

function frameItemOf({ log_id: logId, stratum, offered }: FrameRow, held: readonly GivenItem[]): FrameItem {
  const verdicts = held.flatMap(({ answer }) => (answer === null || answer === 'unsure' ? [] : [answer]))
  const majority = verdicts.length === 0 ? 'tie' : majorityOf(verdicts)
  return {
    logId,
    stratum,
    isOffered: offered,
    isGraded: held.length > 0,
    human: majority === 'tie' ? null : majority,
  }
}

function othersItem(logId: string, held: readonly GivenItem[], graderId: string) {
  const [only] = held
  if (only === undefined || held.length > 1 || only.graderId === graderId) return []
  return [{ logId, stratum: only.stratum ?? '', isUnsure: only.answer === 'unsure' }]
}

function gradedBefore(own: readonly GivenItem[]): readonly GradedBefore[] {
  const shownAgain = new Set(own.filter(({ kind }) => kind === 'again').map(({ logId }) => logId))
  return own.flatMap(({ logId, stratum, kind, gradeId }, index) => {
    if (logId === null || gradeId === null || kind === 'again' || shownAgain.has(logId)) return []
    return [{ logId, stratum: stratum ?? '', labelId: gradeId, since: own.length - index - 1 }]
  })
}

/** Items on which at least two people agree and nobody differs, of which the person has graded none. */
const knownStatement = `
  SELECT (array_agg(l.id ORDER BY l.created_at, l.id))[1] AS label_id, (array_agg(l.log_id))[1] AS log_id,
    (array_agg(l.trace_id))[1] AS trace_id, min(l.label::text) AS verdict
  FROM label l WHERE l.workspace_id = $1 AND l.criterion_id = $2 AND l.unit = $4 AND l.superseded_by IS NULL
  GROUP BY l.item_key
  HAVING count(DISTINCT l.grader_id) >= 2 AND count(DISTINCT l.label) = 1 AND NOT bool_or(l.grader_id = $3::text)
  ORDER BY max(l.created_at) DESC LIMIT 2000`

interface KnownRow {
  readonly label_id: string
  readonly log_id: string | null
  readonly trace_id: string | null
  readonly verdict: Verdict
}

interface SettledItem {
  readonly labelId: string
  /** Null for an imported item. */
  readonly itemId: string | null
  readonly verdict: Verdict
}

function knownOf(workspaceId: string, row: KnownRow): SettledItem {
  const { label_id: labelId, log_id: logId, trace_id: traceId, verdict } = row
  return { labelId, verdict, itemId: logId ?? (traceId === null ? null : runItemId(workspaceId, traceId)) }
}

/** Not those that the round will give to people itself. */
function knownItems(
  settled: readonly SettledItem[],
  own: readonly GivenItem[],
  waiting: ReadonlySet<string>,
): readonly KnownItem[] {
  const shown = new Set(own.map(({ labelId }) => labelId))
  return settled.flatMap(({ labelId, itemId, verdict }) =>
    shown.has(labelId) || (itemId !== null && waiting.has(itemId)) ? [] : [{ labelId, verdict }],
  )
}

function knownFailsOf(own: readonly GivenItem[], known: readonly SettledItem[]): number {
  const verdicts = new Map(known.map(({ labelId, verdict }) => [labelId, verdict]))
  return own.filter(({ kind, labelId }) => kind === 'known' && verdicts.get(labelId ?? '') === 'fail').length
}

function countKinds(own: readonly GivenItem[]): Readonly<Record<ItemKind, number>> {
  const of = (kind: ItemKind) => own.filter((item) => item.kind === kind).length
  return { new: of('new'), double: of('double'), again: of('again'), known: of('known') }
}
