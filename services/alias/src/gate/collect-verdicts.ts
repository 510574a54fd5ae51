import type { Identity } from '@ratchet/contracts/identity'
import { planGateJudgements, readGateVerdicts } from '@ratchet/contracts/internal-judging'
import type { LogEntry } from '@ratchet/contracts/logs'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import type { FleetClient } from '@ratchet/service-kit/fleet-client'
import type { StoredAlias } from '../aliases/alias.ts'
import type { CanaryStore, SampleOutcome } from './canary-store.ts'
import { gateItemOf } from './gate-item.ts'
import type { GateJudge } from './gate-judge.ts'
import { logEntry } from './log-entry.ts'
import { mayBeMixed } from './sample-rules.ts'

export interface CollectVerdictsDeps {
  readonly now: () => Date
  readonly canary: Pick<CanaryStore, 'openSamples' | 'gradableSamples' | 'keepOutcomes' | 'keepGrades'>
  readonly log: Pick<LogReader, 'entry'>
  readonly judging: Pick<FleetClient, 'call'>
}

export interface Judged {
  readonly alias: StoredAlias
  readonly identity: Identity
  readonly judge: GateJudge
}

/** Samples of one look, and of one request. */
const maxSamples = 1_000
const maxPlanned = 200

/**
 * Reads what the judge said of the samples that are open, and has it look at those that it does not know of. Each is
 * planned under an id of its own, so a look that is broken off is only repeated.
 *
 * @throws what kept some from being looked at, once the others are
 */
export async function collectVerdicts(deps: CollectVerdictsDeps, judged: Judged): Promise<void> {
  const open = await deps.canary.openSamples(judged.alias, maxSamples)
  if (open.length === 0) return
  const logIds = open.map(({ logId }) => logId)
  const verdicts = await verdictsOf(deps, judged, logIds)
  const reported = verdicts.filter(({ state }) => state !== 'pending')
  await keepOutcomes(deps, judged, reported)
  const known = new Set(verdicts.map(({ logId }) => logId))
  const unknown = logIds.filter((logId) => !known.has(logId))
  await planUnknown(deps, judged, unknown)
}

async function keepOutcomes({ canary }: CollectVerdictsDeps, { alias }: Judged, outcomes: readonly SampleOutcome[]) {
  if (outcomes.length === 0) return
  await canary.keepOutcomes(
    alias,
    outcomes.map(({ logId, verdict, failure }) => ({ logId, verdict, failure })),
  )
}

/** Reads what people say of the answers that the judge has scored; in turn, where there are many. */
export async function collectGrades(deps: CollectVerdictsDeps, judged: Judged): Promise<void> {
  const samples = await deps.canary.gradableSamples(judged.alias, maxSamples)
  if (samples.length === 0) return
  const logIds = samples.map(({ logId }) => logId)
  const grades = new Map((await verdictsOf(deps, judged, logIds)).map(({ logId, grade }) => [logId, grade]))
  const asked = logIds.map((logId) => ({ logId, grade: grades.get(logId) ?? null }))
  await deps.canary.keepGrades(judged.alias, asked, deps.now())
}

async function verdictsOf({ judging }: CollectVerdictsDeps, { identity, judge }: Judged, logIds: readonly string[]) {
  const body = {
    criterion_id: judge.criterionId,
    instrument: judge.instrument,
    source: 'gate' as const,
    log_ids: logIds.map((id) => publicId('log', id)),
  }
  const { data } = await judging.call(readGateVerdicts, { body }, identity)
  return data.flatMap(({ log_id, state, verdict, failure, grade }) => {
    const logId = uuidOf('log', log_id)
    return logId === null ? [] : [{ logId, state, verdict, failure: verdict === null ? failure : null, grade }]
  })
}

/** Entries of the log read at the same time. */
const readAtOnce = 16

async function planUnknown(deps: CollectVerdictsDeps, judged: Judged, logIds: readonly string[]): Promise<void> {
  const failures: unknown[] = []
  const entries: LogEntry[] = []
  const outcomes: SampleOutcome[] = []
  const read = async (logId: string) => {
    const entry = await logEntry(deps.log, judged.identity, logId)
    const failure = entry === null ? 'gone' : mayBeMixed(judged.alias.settings, entry) ? 'mixed' : null
    if (failure !== null) outcomes.push({ logId, verdict: null, failure })
    else if (entry !== null) entries.push(entry)
  }
  for (let from = 0; from < logIds.length; from += readAtOnce) {
    const some = logIds.slice(from, from + readAtOnce)
    await Promise.all(some.map((logId) => read(logId).catch((error: unknown) => failures.push(error))))
  }
  await keepOutcomes(deps, judged, outcomes)
  await plan(deps, judged, entries)
  if (failures.length > 0) throw failures[0]
}

async function plan({ judging }: CollectVerdictsDeps, { identity, judge }: Judged, entries: readonly LogEntry[]) {
  for (let from = 0; from < entries.length; from += maxPlanned) {
    const items = entries.slice(from, from + maxPlanned).map((entry) => gateItemOf(entry))
    const body = { criterion_id: judge.criterionId, instrument: judge.instrument, source: 'gate' as const, items }
    await judging.call(planGateJudgements, { body }, identity)
  }
}
