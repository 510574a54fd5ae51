import type { Verdict } from '@ratchet/contracts/criteria'
import type { SampleFilters } from '@ratchet/contracts/internal-logs'
import type { ConfusionCounts } from '@ratchet/stats/confusion-counts'
import { estimateFailRate, type FailRateMethod } from '@ratchet/stats/estimate-fail-rate'
import type { JudgeAccuracy } from '@ratchet/stats/judged-sample'
import { type DoneJudgement, loggedIdOf } from '../judgements/judgement.ts'

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
  /** Value of the current calibration; null without one. */
  readonly accuracy: JudgeAccuracy | null
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
  { randomGrades, accuracy }: ScanEvidence,
): CorrectedPassRate {
  const graded = { tp: 0, fn: 0, fp: 0, tn: 0 }
  const ungraded: DoneJudgement[] = []
  for (const judgement of judged) {
    const human = randomGrades.get(loggedIdOf(judgement.item) ?? '')
    if (human === undefined) ungraded.push(judgement)
    else graded[cellOf(human, judgement.verdict)] += 1
  }
  const [best] = estimateFailRate({
    judgedFails: ungraded.filter(({ verdict }) => verdict === 'fail').length,
    judged: ungraded.length,
    ...(ungraded.length < judged.length ? { graded } : {}),
    ...(accuracy === null ? {} : { calibration: accuracy }),
  })
  if (best === undefined) return { correctedPassRate: null, correctedCi: null, method: null }
  const { failRate, interval, method } = best
  return { correctedPassRate: 1 - failRate, correctedCi: [1 - interval.high, 1 - interval.low], method }
}

/** The cell of a row in the confusion matrix, whose positive class is FAIL. */
function cellOf(human: Verdict, judge: Verdict | null): keyof ConfusionCounts {
  if (human === 'fail') return judge === 'fail' ? 'tp' : 'fn'
  return judge === 'fail' ? 'fp' : 'tn'
}
