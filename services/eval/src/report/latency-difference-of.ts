import type { CandidateReport } from '@ratchet/contracts/eval-report'
import { clusteredMeanInterval } from '@ratchet/stats/clustered-mean-interval'
import { meanOf } from './latencies.ts'
import { isAnsweredTwice, type PairedSample } from './paired-sample.ts'

type LatencyDifference = Pick<CandidateReport, 'latency_diff_ms' | 'latency_diff_ci' | 'latency_ratio'>

/** How much longer the candidate takes on the same prompts, where both answered and both times are known. */
export function latencyDifferenceOf(samples: readonly PairedSample[]): LatencyDifference {
  const timed = samples.filter(isAnsweredTwice).flatMap(timesOf)
  const differences = [...Map.groupBy(timed, ({ cluster }) => cluster).values()].map((own) =>
    own.map(({ candidate, baseline }) => candidate - baseline),
  )
  const interval = clusteredMeanInterval(differences)
  return {
    latency_diff_ms: meanOf(differences.flat()),
    latency_diff_ci: interval === null ? null : [interval.low, interval.high],
    latency_ratio: ratioOf(
      meanOf(timed.map(({ candidate }) => candidate)),
      meanOf(timed.map(({ baseline }) => baseline)),
    ),
  }
}

function timesOf({ cluster, baseline, candidate }: PairedSample) {
  if (baseline.latencyMs === null || candidate.latencyMs === null) return []
  return [{ cluster, baseline: baseline.latencyMs, candidate: candidate.latencyMs }]
}

function ratioOf(part: number | null, whole: number | null): number | null {
  return part === null || whole === null || whole === 0 ? null : part / whole
}
