import type { Identity } from '@ratchet/contracts/identity'
import { planGateJudgements, readGateVerdicts } from '@ratchet/contracts/internal-judging'
import type { LogEntry } from '@ratchet/contracts/logs'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import type { FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import type { StoredAlias } from '../aliases/alias.ts'
import { gateItemOf, readEntry } from './gate-item.ts'
import type { GateJudge } from './gate-judge.ts'
import type { CanaryStore, SampleOutcome } from './pg-canary.ts'
import { mayBeMixed } from './sample-rules.ts'

export interface CollectVerdictsDeps {
  readonly now: () => Date
  readonly canary: Pick<CanaryStore, 'openSamples' | 'gradableSamples' | 'saveOutcomes' | 'saveGrades'>
  readonly log: Pick<LogReader, 'entry'>
  readonly judging: Pick<FleetClient, 'call'>
}

export interface Judged {
  readonly alias: StoredAlias
  readonly identity: Identity
  readonly judge: GateJudge
}

/** Samples of one evaluation, and of one request. */
const maxSamples = 1_000
const maxPlanned = 200

/**
 * Collects the verdicts on open samples, and orders the verdicts that judging does not know of. Ordering one again has no
 * effect, so an interrupted evaluation is simply repeated.
 *
 * @throws the first error of a sample, after all others were ordered
 */
export async function collectVerdicts(deps: CollectVerdictsDeps, judged: Judged): Promise<void> {
  const open = await deps.canary.openSamples(judged.alias, maxSamples)
  if (open.length === 0) return
  const verdicts = await readVerdicts(deps, judged, open)
  const ended = verdicts.filter(({ state }) => state !== 'pending')
  await saveOutcomes(deps, judged, ended)
  const known = new Set(verdicts.map(({ logId }) => logId))
  const unknown = open.filter((logId) => !known.has(logId))
  await orderVerdicts(deps, judged, unknown)
}

async function saveOutcomes({ canary }: CollectVerdictsDeps, { alias }: Judged, outcomes: readonly SampleOutcome[]) {
  if (outcomes.length === 0) return
  await canary.saveOutcomes(
    alias,
    outcomes.map(({ logId, verdict, failure }) => ({ logId, verdict, failure })),
  )
}

/** Collects the grades of people for scored samples. When there are many, evaluations read them by turns. */
export async function collectGrades(deps: CollectVerdictsDeps, judged: Judged): Promise<void> {
  const logIds = await deps.canary.gradableSamples(judged.alias, maxSamples)
  if (logIds.length === 0) return
  const found = new Map((await readVerdicts(deps, judged, logIds)).map((each) => [each.logId, each]))
  const read = logIds.map((logId) => {
    const { grade = null, probability = null } = found.get(logId) ?? {}
    return { logId, grade, probability }
  })
  await deps.canary.saveGrades(judged.alias, read, deps.now())
}

async function readVerdicts({ judging }: CollectVerdictsDeps, { identity, judge }: Judged, logIds: readonly string[]) {
  const body = {
    criterion_id: judge.criterionId,
    instrument: judge.instrument,
    source: 'gate' as const,
    log_ids: logIds.map((id) => publicId('log', id)),
  }
  const { data } = await judging.call(readGateVerdicts, { body }, identity)
  return data.flatMap(({ log_id, state, verdict, failure, grade, grade_probability: probability }) => {
    const logId = uuidOf('log', log_id)
    if (logId === null) return []
    return [{ logId, state, verdict, failure: verdict === null ? failure : null, grade, probability }]
  })
}

/** Exchanges read from the log at the same time. */
const maxReads = 16

async function orderVerdicts(deps: CollectVerdictsDeps, judged: Judged, logIds: readonly string[]): Promise<void> {
  const failures: unknown[] = []
  const entries: LogEntry[] = []
  const outcomes: SampleOutcome[] = []
  const read = async (logId: string) => {
    const entry = await readEntry(deps.log, judged.identity, logId)
    const failure = entry === null ? 'gone' : mayBeMixed(judged.alias.settings, entry) ? 'mixed' : null
    if (failure !== null) outcomes.push({ logId, verdict: null, failure })
    else if (entry !== null) entries.push(entry)
  }
  for (let from = 0; from < logIds.length; from += maxReads) {
    const some = logIds.slice(from, from + maxReads)
    await Promise.all(some.map((logId) => read(logId).catch((error: unknown) => failures.push(error))))
  }
  await saveOutcomes(deps, judged, outcomes)
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
