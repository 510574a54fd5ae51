import { createHash } from 'node:crypto'
import type { Identity } from '@ratchet/contracts/identity'
import { RunFilters } from '@ratchet/contracts/internal-logs'
import { uuidOf } from '@ratchet/contracts/public-id'
import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import type { StoredCriterion } from '../criteria/criterion.ts'
import type { VerdictReads } from '../judgements/pg-verdicts.ts'
import { seedOf } from '../runs/seed-of.ts'
import { populationFilters } from '../scans/population-filters.ts'
import { type FeedbackHintDeps, feedbackHint } from './feedback-hint.ts'
import {
  type FrameKind,
  type GradingFrame,
  maxFrameAgeMs,
  runItemId,
  type StoredFrameItem,
  stratumOf,
  wholeStratum,
} from './grading-frame.ts'
import type { GradingFrameStore, OfferedItem } from './pg-grading-frames.ts'

export interface FrameDeps extends FeedbackHintDeps {
  readonly verdicts: Pick<VerdictReads, 'judgedLately' | 'judgedRunsLately' | 'gradedAmong' | 'gradedRuns'>
  readonly frames: GradingFrameStore
  readonly log: Pick<LogReader, 'sample' | 'drawRuns' | 'feedback'>
  readonly now: () => Date
  readonly newId: () => string
}

export interface FrameOrder {
  readonly criterion: StoredCriterion
  readonly identity: Identity
  readonly kind: FrameKind
}

/** Number of exchanges or runs of a frame. */
const maxItems = 2_000

/** The frame from which people grade now; null when none has ever been drawn, or it is too old. */
export async function currentFrame({ frames, now }: FrameDeps, order: FrameOrder): Promise<GradingFrame | null> {
  const { frame } = await frames.newest(searchOf(order))
  return frame === null || now().getTime() - frame.createdAt.getTime() > maxFrameAgeMs ? null : frame
}

/**
 * Draws a new frame; null when it would add nothing, because every exchange or run is graded and was offered before. Another
 * process may have drawn one meanwhile: then that.
 */
export async function drawFrame(deps: FrameDeps, order: FrameOrder): Promise<GradingFrame | null> {
  const { criterion, kind } = order
  const search = searchOf(order)
  const ordinal = (await deps.frames.newest(search)).ordinal + 1
  const items = criterion.unit === 'trace' ? await runItems(deps, order, ordinal) : await logItems(deps, order, ordinal)
  if (await addNothing(deps, order, items)) return null
  const frame = { id: deps.newId(), kind, ordinal, createdAt: deps.now() }
  if (await deps.frames.add({ ...search, ...frame, items })) return frame
  return (await deps.frames.newest(search)).frame
}

/** A random draw is one for frames by verdict too. */
function isOfferedBy(kind: FrameKind, offered: OfferedItem | undefined): boolean {
  return offered !== undefined && (offered.kind === 'random' || kind === 'judged')
}

function searchOf({ criterion: { workspaceId, id: criterionId, instrument }, kind }: FrameOrder) {
  return { workspaceId, criterionId, instrument, kind }
}

type DrawnItem = Pick<StoredFrameItem, 'logId' | 'traceId' | 'stratum'>

/** Whether every item has a grade and was offered by an earlier frame, so that its grade counts already. */
async function addNothing(
  { verdicts, frames }: FrameDeps,
  { criterion, kind }: FrameOrder,
  items: readonly DrawnItem[],
): Promise<boolean> {
  const key = { workspaceId: criterion.workspaceId, criterionId: criterion.id }
  const logIds = items.map(({ logId }) => logId)
  const gradedItems =
    criterion.unit === 'trace'
      ? verdicts.gradedRuns(
          key,
          items.flatMap(({ traceId }) => traceId ?? []),
        )
      : verdicts.gradedAmong(key, logIds)
  const [graded, offered] = await Promise.all([gradedItems, frames.offered(key, logIds)])
  return items.every(({ logId, traceId }) => graded.has(traceId ?? logId) && isOfferedBy(kind, offered.get(logId)))
}

function logItems(deps: FrameDeps, order: FrameOrder, ordinal: number): Promise<readonly DrawnItem[]> {
  return order.kind === 'judged' ? judgedItems(deps, order) : randomItems(deps, order, ordinal)
}

/** Completed runs. Those that are too long for a judge stay in the frame until they are found to be. */
async function runItems(deps: FrameDeps, { criterion, identity, kind }: FrameOrder, ordinal: number) {
  const { verdicts, log } = deps
  const { workspaceId, id: criterionId } = criterion
  const itemOf = (traceId: string, stratum: string): DrawnItem => ({
    logId: runItemId(workspaceId, traceId),
    traceId,
    stratum,
  })
  if (kind === 'judged') {
    const judged = await verdicts.judgedRunsLately({ workspaceId, criterionId }, maxItems)
    const feedback = await feedbackHint(deps, identity, { traceIds: judged.map(({ traceId }) => traceId) })
    return judged.map(({ traceId, ...known }) => itemOf(traceId, stratumOf(known, feedback.get(traceId))))
  }
  const filters = RunFilters.parse(populationFilters(criterion, {}))
  const seed = seedOf(`${criterionId} ${ordinal}`)
  const { traceIds } = await log.drawRuns(identity, { filters, count: maxItems, seed })
  return traceIds.map((traceId) => itemOf(traceId, wholeStratum))
}

async function judgedItems(deps: FrameDeps, { criterion, identity }: FrameOrder): Promise<readonly DrawnItem[]> {
  const { workspaceId, id: criterionId } = criterion
  const judged = await deps.verdicts.judgedLately({ workspaceId, criterionId }, maxItems)
  const feedback = await feedbackHint(deps, identity, { logIds: judged.map(({ logId }) => logId) })
  return judged.map(({ logId, ...known }) => ({
    logId,
    traceId: null,
    stratum: stratumOf(known, feedback.get(logId)),
  }))
}

async function randomItems({ log }: FrameDeps, { criterion, identity }: FrameOrder, ordinal: number) {
  const filters = populationFilters(criterion, {})
  const seed = seedOf(`${criterion.id} ${ordinal}`)
  const { rows } = await log.sample(identity, { filters, count: maxItems, seed })
  return rows.flatMap(({ id }): readonly DrawnItem[] => {
    const logId = uuidOf('log', id)
    return logId === null ? [] : [{ logId, traceId: null, stratum: wholeStratum }]
  })
}

/** A random but stable order, so that what has been graded of a stratum is always a random part of it. */
export function rankIn(frameId: string): (logId: string) => string {
  return (logId) => createHash('sha256').update(`${frameId}:${logId}`).digest('hex')
}
