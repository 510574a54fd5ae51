import type { Identity } from '@ratchet/contracts/identity'
import type { GradeCandidate } from '@ratchet/contracts/scans'
import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import { loggedRun } from '../judgements/plan-logged.ts'
import { readRun } from '../judgements/read-run.ts'
import type { ChosenExchange } from './choose-candidates.ts'
import type { StoredFrameItem } from './grading-frame.ts'

/** What a grader sees of an exchange or run. */
export type GradableContent = Pick<
  GradeCandidate,
  'log_id' | 'trace_id' | 'created_at' | 'segment' | 'tag' | 'messages' | 'response' | 'tools'
>

type ContentReads = Pick<LogReader, 'entry' | 'readRuns' | 'present'>
type ItemIds = Pick<StoredFrameItem, 'logId' | 'traceId'>

/** The items of a frame that were chosen, in the order of the choice. */
export function itemsOf(chosen: readonly ChosenExchange[], items: readonly ItemIds[]): readonly ItemIds[] {
  const traceIds = new Map(items.map(({ logId, traceId }) => [logId, traceId]))
  return chosen.map(({ logId }) => ({ logId, traceId: traceIds.get(logId) ?? null }))
}

/** Null for what cannot be graded: it was deleted, or it is a run that continues or is too large. */
export async function readContents(
  log: ContentReads,
  identity: Identity,
  items: readonly ItemIds[],
): Promise<readonly (GradableContent | null)[]> {
  const traceIds = items.flatMap(({ traceId }) => traceId ?? [])
  if (traceIds.length > 0) return readRuns(log, identity, traceIds)
  return Promise.all(
    items.map(async ({ logId }) => {
      const entry = await log.entry(identity, logId)
      return entry === null ? null : { ...entry, log_id: entry.id, trace_id: null }
    }),
  )
}

/** Runs with their messages folded, as a judge reads them; one after the other, because each may be large. */
async function readRuns(
  log: ContentReads,
  identity: Identity,
  traceIds: readonly string[],
): Promise<readonly (GradableContent | null)[]> {
  const found = new Map((await log.readRuns(identity, traceIds)).map((run) => [run.trace_id, loggedRun(run)]))
  const contents: (GradableContent | null)[] = []
  for (const traceId of traceIds) {
    const run = found.get(traceId) ?? null
    const content = run === null ? null : await readRun(log, identity, run.stepIds)
    if (run === null || content === null || content === 'too_large') contents.push(null)
    else {
      const { createdAt, segment, tag } = run
      const { messages, response, tools } = content
      const shown = { messages: [...messages], response, tools: tools === null ? null : [...tools] }
      contents.push({ log_id: null, trace_id: traceId, created_at: createdAt.toISOString(), segment, tag, ...shown })
    }
  }
  return contents
}

/** Exchanges of a frame expire together, so all are checked when one is missing. Runs are checked when they are chosen. */
export async function findMissing(
  log: ContentReads,
  identity: Identity,
  items: readonly ItemIds[],
): Promise<readonly string[]> {
  const logIds = items.filter(({ traceId }) => traceId === null).map(({ logId }) => logId)
  if (logIds.length === 0) return []
  const present = await log.present(identity, logIds)
  return logIds.filter((logId) => !present.has(logId))
}
