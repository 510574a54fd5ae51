import type { CandidateReport } from '@ratchet/contracts/eval-report'
import { clusteredMeanInterval } from '@ratchet/stats/clustered-mean-interval'
import { meanOf } from './latencies.ts'
import { isAnsweredTwice, type PairedSample } from './paired-sample.ts'

type LatencyDifference = Pick<CandidateReport, 'latency_diff_ms' | 'latency_diff_ci'>

/** How much longer the candidate takes on the same prompts, where both answered and both times are known. */
export function latencyDifferenceOf(samples: readonly PairedSample[]): LatencyDifference {
  const answered = samples.filter(isAnsweredTwice)
  const clusters = [...Map.groupBy(answered, ({ cluster }) => cluster).values()].map((own) => own.flatMap(differenceOf))
  const interval = clusteredMeanInterval(clusters)
  return {
    latency_diff_ms: meanOf(clusters.flat()),
    latency_diff_ci: interval === null ? null : [interval.low, interval.high],
  }
}

function differenceOf({ baseline, candidate }: PairedSample): readonly number[] {
  if (baseline.latencyMs === null || candidate.latencyMs === null) return []
  return [candidate.latencyMs - baseline.latencyMs]
}
