import type { Verdict } from '@ratchet/contracts/criteria'
import type { SampleFilters } from '@ratchet/contracts/internal-logs'
import type { ConfusionCounts } from '@ratchet/stats/confusion-counts'
import type { FailRateMethod } from '@ratchet/stats/estimate-fail-rate'
import type { KnownAccuracy } from '../calibration/judge-accuracy.ts'
import { type DoneJudgement, loggedIdOf } from '../judgements/judgement.ts'
import { correctFailRate, type VerdictCounts } from './correct-fail-rate.ts'

export interface ScanRequest {
  readonly filters: SampleFilters
  readonly sampleCount: number
}

/** A corrected pass rate with its 95 % interval; null where no valid correction exists. */
export interface CorrectedPassRate {
  readonly correctedPassRate: number | null
  readonly correctedCi: readonly [number, number] | null
  readonly method: FailRateMethod | null
}

export interface SegmentResult extends CorrectedPassRate {
  readonly segment: string
  readonly judged: number
  readonly rawPassRate: number
}

export interface ScanResult extends CorrectedPassRate {
  /** Number of exchanges or runs that the sample was drawn from. */
  readonly matched: number
  readonly judged: number
  readonly unparseable: number
  readonly unjudged: number
  readonly rawPassRate: number | null
  readonly bySegment: readonly SegmentResult[]
  /** Nano-dollars as decimal text. Stored here because judgements are purged with their exchanges. */
  readonly costNano: string
}

export interface ScanEvidence {
  readonly matched: number
  /** Grades of scanned items that were chosen for grading at random, by the UUID of the log entry or the trace id. */
  readonly randomGrades: ReadonlyMap<string, Verdict>
  /** Items that were offered for grading at random before graded ones, and that people left out. */
  readonly unanswered: ReadonlySet<string>
  /** Of the current calibration; null without one. */
  readonly accuracy: KnownAccuracy | null
}

export function summarizeScan(judgements: readonly DoneJudgement[], evidence: ScanEvidence): ScanResult {
  const judged = judgements.filter(({ verdict }) => verdict !== null)
  const unparseable = judgements.filter(({ failure }) => failure === 'unparseable').length
  const segments = Map.groupBy(judged, ({ segment }) => segment)
  return {
    matched: evidence.matched,
    judged: judged.length,
    unparseable,
    costNano: String(judgements.reduce((sum, { costNano }) => sum + costNano, 0n)),
    unjudged: judgements.length - judged.length - unparseable,
    rawPassRate: passRateOf(judged),
    ...correctedPassRate(judged, evidence),
    bySegment: [...segments]
      .toSorted(([oneName, one], [otherName, other]) => other.length - one.length || oneName.localeCompare(otherName))
      .map(([segment, rows]) => ({
        segment,
        judged: rows.length,
        rawPassRate: passRateOf(rows) ?? 0,
        ...correctedPassRate(rows, evidence),
      })),
  }
}

function passRateOf(judged: readonly DoneJudgement[]): number | null {
  return judged.length === 0 ? null : judged.filter(({ verdict }) => verdict === 'pass').length / judged.length
}

function correctedPassRate(
  judged: readonly DoneJudgement[],
  { randomGrades, unanswered, accuracy }: ScanEvidence,
): CorrectedPassRate {
  const graded = { tp: 0, fn: 0, fp: 0, tn: 0 }
  const leftOut: DoneJudgement[] = []
  const ungraded: DoneJudgement[] = []
  for (const judgement of judged) {
    const id = loggedIdOf(judgement.item) ?? ''
    const human = randomGrades.get(id)
    if (human !== undefined) graded[cellOf(human, judgement.verdict)] += 1
    else if (unanswered.has(id)) leftOut.push(judgement)
    else ungraded.push(judgement)
  }
  const best = correctFailRate({
    ungraded: countVerdicts(ungraded),
    graded,
    unanswered: countVerdicts(leftOut),
    accuracy,
  })
  if (best === null) return { correctedPassRate: null, correctedCi: null, method: null }
  const { failRate, interval, method } = best
  return { correctedPassRate: 1 - failRate, correctedCi: [1 - interval.high, 1 - interval.low], method }
}

function countVerdicts(judged: readonly DoneJudgement[]): VerdictCounts {
  const fails = judged.filter(({ verdict }) => verdict === 'fail').length
  return { fails, passes: judged.length - fails }
}

/** The cell of a row in the confusion matrix, whose positive class is FAIL. */
function cellOf(human: Verdict, judge: Verdict | null): keyof ConfusionCounts {
  if (human === 'fail') return judge === 'fail' ? 'tp' : 'fn'
  return judge === 'fail' ? 'fp' : 'tn'
}
