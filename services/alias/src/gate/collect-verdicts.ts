import { planGateJudgements, readGateVerdicts } from '@ratchet/contracts/internal-judging'
import type { LogEntry } from '@ratchet/contracts/logs'
import { publicId } from '@ratchet/contracts/public-id'
import { checkMonitored } from './check-monitored.ts'
import { gateItemOf, readEntry } from './gate-item.ts'
import type { GateJudge } from './gate-judge.ts'
import type { CollectVerdictsDeps, Judged } from './judged-alias.ts'
import { orderRunVerdicts } from './order-run-verdicts.ts'
import type { SampleOutcome, ScoredSample } from './pg-canary.ts'
import { judgesRuns, minRunMs } from './run-rules.ts'
import { mayBeMixed } from './sample-rules.ts'

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
  const ofRuns = judgesRuns(judged.judge)
  const until = new Date(deps.now().getTime() - (ofRuns ? minRunMs : 0))
  const open = await deps.canary.openSamples(judged.alias, until, maxSamples)
  if (open.length === 0) return
  const verdicts = await readVerdicts(deps, judged, open)
  const ended = verdicts.filter(({ state }) => state !== 'pending')
  await saveOutcomes(deps, judged, await checkMonitored(deps, judged, { open, ended }))
  const known = new Set(verdicts.map(({ logId }) => logId))
  const unknown = open.filter(({ logId }) => !known.has(logId))
  if (ofRuns) await orderRunVerdicts(deps, judged, unknown)
  else await orderVerdicts(deps, judged, unknown)
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
  const samples = await deps.canary.gradableSamples(judged.alias, maxSamples)
  if (samples.length === 0) return
  const found = new Map((await readVerdicts(deps, judged, samples)).map((each) => [each.logId, each]))
  const read = samples.map(({ logId }) => {
    const { grade = null, probability = null, skipProbability = null } = found.get(logId) ?? {}
    return { logId, grade, probability, skipProbability }
  })
  await deps.canary.saveGrades(judged.alias, read, deps.now())
}

async function readVerdicts(
  { judging }: CollectVerdictsDeps,
  { identity, judge }: Judged,
  samples: readonly ScoredSample[],
) {
  const ofRuns = judgesRuns(judge)
  const idOf = ({ logId, cluster }: ScoredSample) => (ofRuns ? cluster : publicId('log', logId)) ?? ''
  const logIds = new Map(samples.map((sample) => [idOf(sample), sample.logId]))
  const body = {
    criterion_id: judge.criterionId,
    instrument: judge.instrument,
    source: 'gate' as const,
    ...(ofRuns ? { trace_ids: [...logIds.keys()] } : { log_ids: [...logIds.keys()] }),
  }
  const { data } = await judging.call(readGateVerdicts, { body }, identity)
  return data.flatMap(({ log_id, trace_id, state, verdict, failure, by_monitor, grade, ...rest }) => {
    const logId = logIds.get((ofRuns ? trace_id : log_id) ?? '')
    if (logId === undefined) return []
    const outcome = { verdict, failure: failureOf(judge, { verdict, failure }) }
    const graded = { grade, probability: rest.grade_probability, skipProbability: rest.skip_probability }
    return [{ logId, state, ...outcome, isOfMonitor: by_monitor, ...graded }]
  })
}

/** A run that is too large for the judge counts like one that does not end: an arm must not gain by running too long. */
function failureOf(
  judge: GateJudge,
  { verdict, failure }: Pick<SampleOutcome, 'verdict' | 'failure'>,
): SampleOutcome['failure'] {
  if (verdict !== null) return null
  return judgesRuns(judge) && failure === 'too_large' ? 'unfinished' : failure
}

/** Exchanges read from the log at the same time. */
const maxReads = 16

async function orderVerdicts(
  deps: CollectVerdictsDeps,
  judged: Judged,
  samples: readonly ScoredSample[],
): Promise<void> {
  const failures: unknown[] = []
  const entries: LogEntry[] = []
  const outcomes: SampleOutcome[] = []
  const read = async (logId: string) => {
    const entry = await readEntry(deps.log, judged.identity, logId)
    const failure = entry === null ? 'gone' : mayBeMixed(judged.alias.settings, entry) ? 'mixed' : null
    if (failure !== null) outcomes.push({ logId, verdict: null, failure })
    else if (entry !== null) entries.push(entry)
  }
  for (let from = 0; from < samples.length; from += maxReads) {
    const some = samples.slice(from, from + maxReads)
    await Promise.all(some.map(({ logId }) => read(logId).catch((error: unknown) => failures.push(error))))
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
