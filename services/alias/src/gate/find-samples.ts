import { modelOfFamily } from '@ratchet/contracts/family-rules'
import type { Identity } from '@ratchet/contracts/identity'
import type { LogRow } from '@ratchet/contracts/logs'
import { uuidOf } from '@ratchet/contracts/public-id'
import { LoggingIsOff, type LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import { hourMs } from '@ratchet/service-kit/timing/durations'
import type { StoredAlias } from '../aliases/alias.ts'
import { configPropagationMs } from '../aliases/change-alias.ts'
import type { GateJudge } from './gate-judge.ts'
import type { CanaryStore, NewCanarySample } from './pg-canary.ts'
import { assignedArm, isRunToBeScored, judgesRuns } from './run-rules.ts'
import { armOf, clusterOf, isToBeMirrored, isToBeScored } from './sample-rules.ts'

export interface FindSamplesDeps {
  readonly canary: Pick<CanaryStore, 'addSamples'>
  readonly log: Pick<LogReader, 'freshOf'>
  readonly now: () => Date
  /** Time after which every exchange with an id of that moment is in the log, milliseconds. */
  readonly ingestLagMs: number
  /** The lowest id that an exchange of a moment can have. */
  readonly firstIdAt: (at: Date) => string
  /** The id of a shadow sample, the same in every call. */
  readonly shadowIdOf: (alias: StoredAlias, logId: string) => string
}

export interface Watched {
  readonly alias: StoredAlias
  readonly identity: Identity
  /** Null when no answers are scored. */
  readonly judge: GateJudge | null
}

const pageSize = 500
/** Maximum time that one evaluation searches, milliseconds. The next one continues. */
const maxMs = 5_000

/** Searches the exchanges of an alias since the last evaluation, and stores which are judged and mirrored. */
export async function findSamples(deps: FindSamplesDeps, watched: Watched): Promise<void> {
  const { alias, identity } = watched
  const at = deps.now()
  const firstMissingId = deps.firstIdAt(new Date(at.getTime() - deps.ingestLagMs))
  let after = alias.cursorLogId ?? deps.firstIdAt(alias.epoch.startedAt)
  while (deps.now().getTime() - at.getTime() < maxMs) {
    const requested = { alias: alias.settings.name, after, limit: pageSize }
    const rows = await deps.log.freshOf(identity, requested).catch(emptyWhenOff)
    const complete = rows.filter(({ id }) => (uuidOf('log', id) ?? firstMissingId) < firstMissingId)
    const last = uuidOf('log', complete.at(-1)?.id ?? '')
    if (last === null) return
    await savePage(deps, watched, { rows: complete, cursorLogId: last, at })
    after = last
    if (complete.length < pageSize) return
  }
}

async function savePage(
  deps: FindSamplesDeps,
  watched: Watched,
  { rows, cursorLogId, at }: { readonly rows: readonly LogRow[]; readonly cursorLogId: string; readonly at: Date },
): Promise<void> {
  const { alias } = watched
  const samples = scoreable(watched, rows)
  const shadows = rows
    .filter((row) => isToBeMirrored(alias.settings, row))
    .flatMap(({ id }) => uuidOf('log', id) ?? [])
    .map((logId) => ({ id: deps.shadowIdOf(alias, logId), logId }))
  await deps.canary.addSamples(alias, { samples, shadows, cursorLogId }, at)
}

function scoreable({ alias, judge }: Watched, rows: readonly LogRow[]): readonly NewCanarySample[] {
  if (judge === null) return []
  const { settings, epoch } = alias
  const since = splitSince(epoch)
  const until = new Date(epoch.startedAt.getTime() + settings.gate_window_hours * hourMs)
  if (judgesRuns(judge)) return runSamples(rows.filter((row) => isRunToBeScored({ since, until, judge, row })))
  return rows
    .filter((row) => isToBeScored({ settings, since, until, judge, row }))
    .filter(({ segment }) => modelOfFamily(settings.family_rules, segment) === null)
    .flatMap((row) => {
      const [logId, arm] = [uuidOf('log', row.id), armOf(settings, row)]
      return logId === null || arm === null
        ? []
        : [{ logId, arm, segment: row.segment, cluster: clusterOf(settings, row) }]
    })
}

/** From here on every process routes by the split. */
export function splitSince({ startedAt }: StoredAlias['epoch']): Date {
  return new Date(startedAt.getTime() + configPropagationMs)
}

/** The first request of a run that is found stands for it. */
function runSamples(rows: readonly LogRow[]): readonly NewCanarySample[] {
  return rows.flatMap((row) => {
    const logId = uuidOf('log', row.id)
    return logId === null ? [] : [{ logId, arm: assignedArm(row), segment: row.segment, cluster: row.trace_id }]
  })
}

function emptyWhenOff(error: unknown): readonly LogRow[] {
  if (error instanceof LoggingIsOff) return []
  throw error
}
