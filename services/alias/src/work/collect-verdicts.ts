import type { Identity } from '@ratchet/contracts/identity'
import { planGateJudgements, readGateVerdicts } from '@ratchet/contracts/internal-judging'
import type { LogEntry } from '@ratchet/contracts/logs'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import { LoggingIsOff, type LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import type { FleetClient } from '@ratchet/service-kit/fleet-client'
import type { StoredAlias } from '../domain/alias.ts'
import type { CanaryStore, SampleOutcome } from '../domain/canary-store.ts'
import type { GateJudge } from '../domain/gate/gate-judge.ts'
import { mayBeMixed } from '../domain/gate/sample-rules.ts'

export interface CollectVerdictsDeps {
  readonly canary: Pick<CanaryStore, 'openSamples' | 'ungradedSamples' | 'keepOutcomes' | 'keepGrades'>
  readonly log: Pick<LogReader, 'entry'>
  readonly judging: Pick<FleetClient, 'call'>
}

export interface Judged {
  readonly alias: StoredAlias
  readonly identity: Identity
  readonly judge: GateJudge
}

/** Samples of one look, and of one request. */
const mostSamples = 1_000
const mostPlanned = 200

/**
 * Reads what the judge said of the samples that are open, and has it look at those that it does not know of. Each is
 * planned under an id of its own, so a look that is broken off is only repeated.
 */
export async function collectVerdicts(deps: CollectVerdictsDeps, judged: Judged): Promise<void> {
  const open = await deps.canary.openSamples(judged.alias, mostSamples)
  if (open.length === 0) return
  const logIds = open.map(({ logId }) => logId)
  const verdicts = await verdictsOf(deps, judged, logIds)
  const known = new Set(verdicts.map(({ logId }) => logId))
  const told = verdicts.filter(({ state }) => state !== 'pending')
  const unknown = logIds.filter((logId) => !known.has(logId))
  const outcomes: readonly SampleOutcome[] = [
    ...told.map(({ logId, verdict, failure }) => ({ logId, verdict, failure })),
    ...(await planUnknown(deps, judged, unknown)),
  ]
  if (outcomes.length > 0) await deps.canary.keepOutcomes(judged.alias, outcomes)
}

/** Reads what people say of the latest answers that the judge has scored. */
export async function collectGrades(deps: CollectVerdictsDeps, judged: Judged): Promise<void> {
  const ungraded = await deps.canary.ungradedSamples(judged.alias, mostSamples)
  if (ungraded.length === 0) return
  const verdicts = await verdictsOf(
    deps,
    judged,
    ungraded.map(({ logId }) => logId),
  )
  const grades = verdicts.flatMap(({ logId, grade }) => (grade === null ? [] : [{ logId, grade }]))
  if (grades.length > 0) await deps.canary.keepGrades(judged.alias, grades)
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

/** @returns outcomes of those that nobody is to look at */
async function planUnknown(
  deps: CollectVerdictsDeps,
  { alias, identity, judge }: Judged,
  logIds: readonly string[],
): Promise<readonly SampleOutcome[]> {
  const outcomes: SampleOutcome[] = []
  const entries: LogEntry[] = []
  for (const logId of logIds) {
    const entry = await deps.log.entry(identity, logId).catch(goneWithTheLog)
    const failure = entry === null ? 'gone' : mayBeMixed(alias.settings, entry) ? 'mixed' : null
    if (failure !== null) outcomes.push({ logId, verdict: null, failure })
    else if (entry !== null) entries.push(entry)
  }
  for (let from = 0; from < entries.length; from += mostPlanned) {
    const items = entries.slice(from, from + mostPlanned).map((entry) => ({
      log_id: entry.id,
      segment: entry.segment,
      tag: entry.tag,
      created_at: entry.created_at,
      expires_at: entry.expires_at,
    }))
    const body = { criterion_id: judge.criterionId, instrument: judge.instrument, source: 'gate' as const, items }
    await deps.judging.call(planGateJudgements, { body }, identity)
  }
  return outcomes
}

function goneWithTheLog(error: unknown): null {
  if (error instanceof LoggingIsOff) return null
  throw error
}
