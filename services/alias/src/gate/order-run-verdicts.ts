import type { GateRun } from '@ratchet/contracts/internal-judging'
import { planGateJudgements } from '@ratchet/contracts/internal-judging'
import { type LoggedRun, maxRunsPerRead } from '@ratchet/contracts/internal-logs'
import { LoggingIsOff } from '@ratchet/judge-kit/fleet/log-reader'
import { splitSince } from './find-samples.ts'
import type { CollectVerdictsDeps, Judged } from './judged-alias.ts'
import type { OpenSample, SampleOutcome } from './pg-canary.ts'
import { assignedArm, decideRun, type RunDecision } from './run-rules.ts'

/**
 * Reads runs from the log, orders verdicts on those that are completed, and saves why others get none. Runs that may still
 * end are read again by the next evaluation. The judge gets exactly the steps that were checked here.
 */
export async function orderRunVerdicts(
  deps: CollectVerdictsDeps,
  judged: Judged,
  samples: readonly OpenSample[],
): Promise<void> {
  for (let from = 0; from < samples.length; from += maxRunsPerRead) {
    await orderSome(deps, judged, samples.slice(from, from + maxRunsPerRead))
  }
}

async function orderSome(deps: CollectVerdictsDeps, judged: Judged, samples: readonly OpenSample[]): Promise<void> {
  const { identity, judge, alias } = judged
  const outcomes: SampleOutcome[] = []
  const runs: GateRun[] = []
  for (const { logId, decision, run } of await decideRuns(deps, judged, samples)) {
    if (decision === 'judge' && run !== null) runs.push(gateRunOf(run))
    else if (decision !== 'wait' && decision !== 'judge') outcomes.push({ logId, verdict: null, failure: decision })
  }
  if (outcomes.length > 0) await deps.canary.saveOutcomes(alias, outcomes)
  if (runs.length === 0) return
  const body = { criterion_id: judge.criterionId, instrument: judge.instrument, source: 'gate' as const, runs }
  await deps.judging.call(planGateJudgements, { body }, identity)
}

export interface DecidedRun {
  readonly logId: string
  readonly decision: RunDecision
  /** Null when the log has none of its steps any more. */
  readonly run: LoggedRun | null
}

/** Reads the runs of samples from the log and decides about each. */
export async function decideRuns(
  deps: Pick<CollectVerdictsDeps, 'log' | 'now'>,
  { identity, alias }: Judged,
  samples: readonly OpenSample[],
): Promise<readonly DecidedRun[]> {
  const at = deps.now()
  const found = await readRuns(deps.log, identity, samples)
  return samples.map(({ logId, cluster, arm, foundAt }) => {
    const run = found.get(cluster ?? '') ?? null
    const question = { settings: alias.settings, arm, since: splitSince(alias.epoch), foundAt, at }
    return { logId, decision: decideRun(run, question), run }
  })
}

async function readRuns(
  log: CollectVerdictsDeps['log'],
  identity: Judged['identity'],
  samples: readonly OpenSample[],
): Promise<ReadonlyMap<string, LoggedRun>> {
  try {
    const runs = await log.readRuns(
      identity,
      samples.flatMap(({ cluster }) => cluster ?? []),
    )
    return new Map(runs.map((run) => [run.trace_id, run]))
  } catch (error) {
    if (error instanceof LoggingIsOff) return new Map()
    throw error
  }
}

function gateRunOf({ trace_id, steps, last_at, expires_at }: LoggedRun): GateRun {
  const [first] = steps
  return {
    trace_id,
    step_ids: steps.map(({ id }) => id),
    segment: first?.segment ?? 'none',
    tag: first?.tag ?? null,
    canary: steps.some((step) => assignedArm(step) === 'canary'),
    last_at,
    expires_at,
  }
}
