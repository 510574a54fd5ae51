import type { Identity } from '@ratchet/contracts/identity'
import type { LogRow } from '@ratchet/contracts/logs'
import { uuidOf } from '@ratchet/contracts/public-id'
import { LoggingIsOff, type LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import type { StoredAlias } from '../aliases/alias.ts'
import { configPropagationMs } from '../aliases/change-alias.ts'
import type { CanaryStore, NewCanarySample } from './canary-store.ts'
import type { GateJudge } from './gate-judge.ts'
import { armOf, clusterOf, isToBeMirrored, isToBeScored } from './sample-rules.ts'

export interface FindSamplesDeps {
  readonly canary: Pick<CanaryStore, 'keepFound'>
  readonly log: Pick<LogReader, 'freshOf'>
  readonly now: () => Date
  /** Milliseconds after which no exchange is stored any more with an id of before. */
  readonly settleMs: number
  /** The lowest UUIDv7 of a moment. */
  readonly firstIdAt: (at: Date) => string
  /** The id of a mirrored request, the same whenever it is asked for. */
  readonly shadowIdOf: (alias: StoredAlias, logId: string) => string
}

export interface Watched {
  readonly alias: StoredAlias
  readonly identity: Identity
  /** Null where nothing is to be scored. */
  readonly judge: GateJudge | null
}

const hourMs = 3_600_000
const pageSize = 500
/** Milliseconds that one look may take for this: what is left waits for the next. */
const maxMs = 5_000

/** Looks at what the alias answered since the last look, and keeps what of it is to be judged and mirrored. */
export async function findSamples(deps: FindSamplesDeps, watched: Watched): Promise<void> {
  const { alias, identity } = watched
  const at = deps.now()
  const unsettled = deps.firstIdAt(new Date(at.getTime() - deps.settleMs))
  let after = alias.cursorLogId ?? deps.firstIdAt(alias.epoch.startedAt)
  while (deps.now().getTime() - at.getTime() < maxMs) {
    const requested = { alias: alias.settings.name, after, limit: pageSize }
    const rows = await deps.log.freshOf(identity, requested).catch(nothingWithoutLog)
    const settled = rows.filter(({ id }) => (uuidOf('log', id) ?? unsettled) < unsettled)
    const last = uuidOf('log', settled.at(-1)?.id ?? '')
    if (last === null) return
    await keepPage(deps, watched, { rows: settled, cursorLogId: last, at })
    after = last
    if (settled.length < pageSize) return
  }
}

async function keepPage(
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
  await deps.canary.keepFound(alias, { samples, shadows, cursorLogId }, at)
}

function scoreable({ alias, judge }: Watched, rows: readonly LogRow[]): readonly NewCanarySample[] {
  if (judge === null) return []
  const { settings, epoch } = alias
  const since = new Date(epoch.startedAt.getTime() + configPropagationMs)
  const until = new Date(epoch.startedAt.getTime() + settings.gate_window_hours * hourMs)
  return rows
    .filter((row) => isToBeScored({ settings, since, until, judge, row }))
    .flatMap((row) => {
      const [logId, arm] = [uuidOf('log', row.id), armOf(settings, row)]
      return logId === null || arm === null ? [] : [{ logId, arm, cluster: clusterOf(settings, row) }]
    })
}

function nothingWithoutLog(error: unknown): readonly LogRow[] {
  if (error instanceof LoggingIsOff) return []
  throw error
}
