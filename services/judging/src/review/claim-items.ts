import type { Identity } from '@ratchet/contracts/identity'
import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import type { JudgedExchange } from '@ratchet/judge-kit/prompt/exchange'
import { openStrata, reachedWith } from '../labels/choose-candidates.ts'
import { rankIn } from '../labels/grading-frames.ts'
import type { GradingFrameStore } from '../labels/pg-grading-frames.ts'
import type { LabelStore } from '../labels/pg-labels.ts'
import { requireLog } from '../runs/require-log.ts'
import { composeBatch } from './compose-batch.ts'
import type { Claim, ClaimedItem, ClaimStore, StoredBatchFacts } from './pg-claims.ts'
import type { RoundSteps } from './pg-round-steps.ts'
import { readRoundRun } from './read-round-run.ts'
import { type Grader, leaseMs } from './round.ts'

export interface ClaimDeps {
  readonly claims: ClaimStore
  readonly frames: Pick<GradingFrameStore, 'markMissing'>
  readonly labels: Pick<LabelStore, 'several' | 'snapshots'>
  readonly log: Pick<LogReader, 'entry'>
  readonly roundSteps: RoundSteps
  readonly now: () => Date
  readonly newId: () => string
}

export interface ShownItem {
  readonly id: string
  readonly content: Pick<JudgedExchange, 'messages' | 'response' | 'tools'>
}

export interface ShownClaim extends Omit<Claim, 'items'> {
  readonly items: readonly ShownItem[]
}

export interface ClaimRequest extends Grader {
  readonly identity: Identity
  readonly count: number
  /** UUIDs of batches that the browser has. */
  readonly holding: readonly string[]
}

/**
 * The next items of a person with their content, and nothing else about them; null when there are none. Items that left the
 * log meanwhile are passed over.
 */
export async function claimItems(deps: ClaimDeps, request: ClaimRequest): Promise<ShownClaim | null> {
  for (;;) {
    const at = deps.now()
    const until = new Date(at.getTime() + leaseMs)
    const claim =
      (await deps.claims.unfinished(request, request.holding, { at, until })) ??
      (await deps.claims.take(request, {
        id: deps.newId(),
        at,
        leasedUntil: until,
        itemId: deps.newId,
        compose: (facts) => compose(request, facts),
      }))
    if (claim === null) return null
    const items = await readItems(deps, request, claim.items)
    if (items.length > 0) return { ...claim, items }
  }
}

/** Each may have megabytes of text. */
const maxRuns = 5

function compose({ round, graderId, count: requested }: ClaimRequest, facts: StoredBatchFacts) {
  const count = round.unit === 'trace' ? Math.min(maxRuns, requested) : requested
  const strata = openStrata(facts.frameItems, rankIn(round.id))
  const items = composeBatch({ ...facts, strata, roundId: round.id, graderId, count, shares: round.shares })
  const fresh = items.flatMap(({ kind, logId, stratum }) =>
    kind === 'new' && logId !== null ? [{ logId, stratum: stratum ?? '', samplingProbability: 1 }] : [],
  )
  return { items, reached: reachedWith(strata, fresh) }
}

async function readItems(
  deps: ClaimDeps,
  { identity, round }: ClaimRequest,
  items: readonly ClaimedItem[],
): Promise<readonly ShownItem[]> {
  const contents = await readContents(deps, { identity, round }, items)
  const missing = items.flatMap(({ logId }, index) => (contents[index] === null && logId !== null ? [logId] : []))
  if (missing.length > 0) {
    await deps.frames.markMissing({ workspaceId: round.workspaceId, frameId: round.id }, missing, deps.now())
  }
  return items.flatMap(({ id }, index) => {
    const content = contents[index]
    return content === null || content === undefined ? [] : [{ id, content }]
  })
}

type Reading = Pick<ClaimRequest, 'identity' | 'round'>

/** Runs are read one after the other, because each may be large. */
async function readContents(deps: ClaimDeps, reading: Reading, items: readonly ClaimedItem[]) {
  if (reading.round.unit === 'request') return Promise.all(items.map((item) => readContent(deps, reading, item)))
  const contents = []
  for (const item of items) contents.push(await readContent(deps, reading, item))
  return contents
}

/** Content that was graded before comes from its grade, because the log may not have it any more. */
async function readContent(deps: ClaimDeps, { identity, round }: Reading, { logId, traceId, labelId }: ClaimedItem) {
  const { labels, log } = deps
  if (labelId === null && traceId !== null)
    return (await readRoundRun(deps, { identity, round, traceId }))?.content ?? null
  if (labelId === null) return logId === null ? null : requireLog(() => log.entry(identity, logId))
  const [label] = await labels.several(identity.workspaceId, [labelId])
  if (label === undefined) return null
  return (await labels.snapshots(identity.workspaceId, [label.snapshotId])).get(label.snapshotId) ?? null
}
