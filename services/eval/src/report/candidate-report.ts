import type { CandidateReport } from '@ratchet/contracts/eval-report'
import type { MeasuredSample } from '../samples/measured-sample.ts'
import { countRuns } from './count-runs.ts'
import { latencyDifferenceOf } from './latency-difference-of.ts'
import { answersAt, modelFigures } from './model-figures.ts'
import { orderEffectsOf } from './order-effects-of.ts'
import { countOutcomes, looksOf, type PairedSample, pairSamples } from './paired-sample.ts'
import { savingsOf } from './savings-of.ts'
import { winRateOf } from './win-rate-of.ts'

export interface ReportedCandidate {
  /** Place among the candidates. */
  readonly place: number
  readonly samples: readonly MeasuredSample[]
  readonly assertionNames: readonly string[]
  /** Makes what is drawn repeatable. */
  readonly seed: string
}

/** All that is reported of one candidate; its p-value is adjusted when those of the others are known. */
export function candidateReport(reported: ReportedCandidate): Omit<CandidateReport, 'sign_test_p_holm'> {
  const { place, samples, assertionNames, seed } = reported
  const paired = pairSamples(samples, place)
  const figures = modelFigures(answersAt(samples, place + 1), assertionNames)
  const looks = looksOf(paired)
  return {
    ...figures,
    avgLatencyMs: figures.avg_latency_ms,
    ...winRateOf(paired),
    ...countOutcomes(paired),
    ...orderEffectsOf(looks),
    samples_judged: looks.length,
    unparseable: countKind(paired, 'unparseable'),
    unjudged: countKind(paired, 'unjudged'),
    ...savingsOf(paired, seed),
    ...latencyDifferenceOf(paired),
    ...countRuns(samples, place),
  }
}

function countKind(samples: readonly PairedSample[], kind: PairedSample['pair']['kind']): number {
  return samples.filter(({ pair }) => pair.kind === kind).length
}
