import { readEntry } from './gate-item.ts'
import type { CollectVerdictsDeps, Judged } from './judged-alias.ts'
import { decideRuns } from './order-run-verdicts.ts'
import type { OpenSample, SampleOutcome } from './pg-canary.ts'
import { judgesRuns } from './run-rules.ts'
import { mayBeMixed } from './sample-rules.ts'

interface EndedVerdict extends SampleOutcome {
  readonly isOfMonitor: boolean
}

interface Ended {
  readonly open: readonly OpenSample[]
  readonly ended: readonly EndedVerdict[]
}

/** Exchanges that are read at the same time. */
const maxReads = 16

/**
 * The monitor judges answers and runs of which this gate did not check whether one arm gave all of them. Those that both arms
 * may have given get the same outcome as if the gate had read them first.
 */
export async function checkMonitored(
  deps: Pick<CollectVerdictsDeps, 'log' | 'now'>,
  judged: Judged,
  { open, ended }: Ended,
): Promise<readonly SampleOutcome[]> {
  const unchecked = new Set(ended.filter(({ isOfMonitor }) => isOfMonitor).map(({ logId }) => logId))
  if (unchecked.size === 0) return ended
  const samples = open.filter(({ logId }) => unchecked.has(logId))
  const leftOut = judgesRuns(judged.judge)
    ? await leftOutRuns(deps, judged, samples)
    : await leftOutAnswers(deps, judged, samples)
  return ended.map((each) => {
    const failure = leftOut.get(each.logId)
    return failure === undefined ? each : { logId: each.logId, verdict: null, failure }
  })
}

type Failures = ReadonlyMap<string, string>

async function leftOutRuns(
  deps: Pick<CollectVerdictsDeps, 'log' | 'now'>,
  judged: Judged,
  samples: readonly OpenSample[],
): Promise<Failures> {
  const decided = await decideRuns(deps, judged, samples)
  return new Map(
    decided.flatMap(({ logId, decision }) =>
      decision === 'mixed' || decision === 'assisted' ? [[logId, decision] as const] : [],
    ),
  )
}

async function leftOutAnswers(
  { log }: Pick<CollectVerdictsDeps, 'log'>,
  { alias, identity }: Judged,
  samples: readonly OpenSample[],
): Promise<Failures> {
  const failures = new Map<string, string>()
  for (let from = 0; from < samples.length; from += maxReads) {
    await Promise.all(
      samples.slice(from, from + maxReads).map(async ({ logId }) => {
        const entry = await readEntry(log, identity, logId)
        if (entry !== null && mayBeMixed(alias.settings, entry)) failures.set(logId, 'mixed')
      }),
    )
  }
  return failures
}
