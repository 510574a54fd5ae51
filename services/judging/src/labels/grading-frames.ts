import { createHash } from 'node:crypto'
import type { Identity } from '@ratchet/contracts/identity'
import { uuidOf } from '@ratchet/contracts/public-id'
import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import type { StoredCriterion } from '../criteria/criterion.ts'
import type { VerdictReads } from '../judgements/pg-verdicts.ts'
import { seedOf } from '../runs/seed-of.ts'
import { populationFilters } from '../scans/population-filters.ts'
import {
  type FrameItem,
  type FrameKind,
  type GradingFrame,
  maxFrameAgeMs,
  stratumOf,
  wholeStratum,
} from './grading-frame.ts'
import type { GradingFrameStore } from './pg-grading-frames.ts'

export interface FrameDeps {
  readonly verdicts: Pick<VerdictReads, 'judgedLately' | 'gradedAmong'>
  readonly frames: GradingFrameStore
  readonly log: Pick<LogReader, 'sample'>
  readonly now: () => Date
  readonly newId: () => string
}

export interface FrameOrder {
  readonly criterion: StoredCriterion
  readonly identity: Identity
  readonly kind: FrameKind
}

/** Number of exchanges of a frame. */
const maxItems = 2_000

/** The frame from which people grade now; null when none has ever been drawn, or it is too old. */
export async function currentFrame({ frames, now }: FrameDeps, order: FrameOrder): Promise<GradingFrame | null> {
  const { frame } = await frames.newest(searchOf(order))
  return frame === null || now().getTime() - frame.createdAt.getTime() > maxFrameAgeMs ? null : frame
}

/** Draws a new frame; null when nothing in it could be graded. Another process may have drawn one meanwhile: then that. */
export async function drawFrame(deps: FrameDeps, order: FrameOrder): Promise<GradingFrame | null> {
  const { criterion, kind } = order
  const search = searchOf(order)
  const ordinal = (await deps.frames.newest(search)).ordinal + 1
  const items = kind === 'judged' ? await judgedItems(deps, order) : await randomItems(deps, order, ordinal)
  const logIds = items.map(({ logId }) => logId)
  const graded = await deps.verdicts.gradedAmong(
    { workspaceId: criterion.workspaceId, criterionId: criterion.id },
    logIds,
  )
  if (logIds.every((logId) => graded.has(logId))) return null
  const frame = { id: deps.newId(), kind, ordinal, createdAt: deps.now() }
  if (await deps.frames.add({ ...search, ...frame, items })) return frame
  return (await deps.frames.newest(search)).frame
}

function searchOf({ criterion: { workspaceId, id: criterionId, instrument }, kind }: FrameOrder) {
  return { workspaceId, criterionId, instrument, kind }
}

type DrawnItem = Pick<FrameItem, 'logId' | 'stratum'>

async function judgedItems({ verdicts }: FrameDeps, { criterion }: FrameOrder): Promise<readonly DrawnItem[]> {
  const { workspaceId, id: criterionId } = criterion
  const judged = await verdicts.judgedLately({ workspaceId, criterionId }, maxItems)
  return judged.map(({ logId, ...known }) => ({ logId, stratum: stratumOf(known) }))
}

async function randomItems({ log }: FrameDeps, { criterion, identity }: FrameOrder, ordinal: number) {
  const filters = populationFilters(criterion, {})
  const seed = seedOf(`${criterion.id} ${ordinal}`)
  const { rows } = await log.sample(identity, { filters, count: maxItems, seed })
  return rows.flatMap(({ id }): readonly DrawnItem[] => {
    const logId = uuidOf('log', id)
    return logId === null ? [] : [{ logId, stratum: wholeStratum }]
  })
}

/** A random but stable order, so that what has been graded of a stratum is always a random part of it. */
export function rankIn(frameId: string): (logId: string) => string {
  return (logId) => createHash('sha256').update(`${frameId}:${logId}`).digest('hex')
}
