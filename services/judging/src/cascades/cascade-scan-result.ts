import type { Verdict } from '@ratchet/contracts/criteria'
import type { JudgeAccuracy } from '@ratchet/stats/judged-sample'
import { type DoneJudgement, loggedIdOf } from '../judgements/judgement.ts'
import { summarizeScan } from '../scans/scan-result.ts'
import type { FrozenMember } from './cascade.ts'
import { countVotes, type Decision, decideItem, type Thresholds } from './decide-item.ts'

/** The verdicts on one item of a scan. */
export interface ScannedItem {
  /** The UUID of a log entry, or a trace id. */
  readonly itemId: string
  readonly judgements: readonly DoneJudgement[]
  readonly decision: Decision | null
  /** Whether a verdict is missing because the item was deleted or the cap was reached. */
  readonly isUnjudged: boolean
}

export interface CascadeScanResult {
  readonly members: readonly FrozenMember[]
  readonly thresholds: Thresholds
  readonly accuracy: JudgeAccuracy | null
  /** Without the unanswered items of the calibration; absent when there are none. */
  readonly answered?: JudgeAccuracy
  readonly matched: number
  readonly drawn: number
  /** Index of the judge whose verdicts were planned last. */
  readonly judge: number
  /** Null until it is done. */
  readonly summary: CascadeScanSummary | null
}

export interface CascadeScanSummary {
  readonly decided: number
  readonly undecided: number
  readonly unjudged: number
  readonly rawFailRate: number | null
  readonly correctedFailRate: number | null
  readonly correctedCi: readonly [number, number] | null
  readonly failRateBounds: readonly [number, number] | null
  /** Decided items by judge. */
  readonly decidedBy: readonly number[]
  /** Nano-dollars as decimal text. Stored here because judgements are purged with their exchanges. */
  readonly costNano: string
}

type Frozen = Pick<CascadeScanResult, 'members' | 'thresholds'>

/** Judgements by item, with what the cascade decides. */
export function scannedItems(
  judgements: readonly DoneJudgement[],
  { members, thresholds }: Frozen,
): readonly ScannedItem[] {
  const byItem = Map.groupBy(judgements, ({ item }) => loggedIdOf(item) ?? '')
  return [...byItem].map(([itemId, ofItem]): ScannedItem => {
    const ofJudge = members.map(({ criterionId: id }) => ofItem.filter(({ criterionId }) => criterionId === id))
    const votes = ofJudge.map((each) => countVotes(each.map(({ verdict }) => verdict)))
    const decision = decideItem(votes, thresholds)
    const isMissing = ({ failure }: DoneJudgement) => failure === 'gone' || failure === 'over_cap'
    // A dead-lettered verdict is missing too.
    const isIncomplete = ofJudge.some((each, index) => each.length > 0 && each.length < (members[index]?.verdicts ?? 1))
    const isUnjudged = decision === null && (isIncomplete || ofItem.some(isMissing))
    return { itemId, judgements: ofItem, decision, isUnjudged }
  })
}

export interface SummaryEvidence
  extends Pick<CascadeScanResult, 'members' | 'accuracy' | 'answered' | 'matched' | 'drawn'> {
  /** Grades of scanned items that were chosen for grading at random, by item id. */
  readonly randomGrades: ReadonlyMap<string, Verdict>
  /** Items that were offered for grading at random before graded ones, and that people left out. */
  readonly unanswered: ReadonlySet<string>
}

export function summarizeCascadeScan(items: readonly ScannedItem[], evidence: SummaryEvidence): CascadeScanSummary {
  const { members, accuracy, answered, matched, drawn, randomGrades, unanswered } = evidence
  const verdicts = items.flatMap(verdictOfItem)
  const undecided = items.filter(({ decision, isUnjudged }) => decision === null && !isUnjudged).length
  const known = accuracy === null ? null : { withUnanswered: accuracy, answered: answered ?? accuracy }
  const scan = summarizeScan(verdicts, { matched, randomGrades, unanswered, accuracy: known })
  const decided = verdicts.length
  const ci = scan.correctedCi === null ? null : ([1 - scan.correctedCi[1], 1 - scan.correctedCi[0]] as const)
  const share = decided / Math.max(1, decided + undecided)
  const cost = items.flatMap(({ judgements }) => judgements).reduce((sum, { costNano }) => sum + costNano, 0n)
  return {
    decided,
    undecided,
    unjudged: drawn - decided - undecided,
    rawFailRate: scan.rawPassRate === null ? null : 1 - scan.rawPassRate,
    correctedFailRate: scan.correctedPassRate === null ? null : 1 - scan.correctedPassRate,
    correctedCi: ci,
    failRateBounds: ci === null ? null : [ci[0] * share, Math.min(1, ci[1] * share + 1 - share)],
    decidedBy: members.map((_, index) => items.filter(({ decision }) => decision?.by === index).length),
    costNano: String(cost),
  }
}

/** The decision in the form of one judgement, as scans count them. */
function verdictOfItem({ judgements: [first], decision }: ScannedItem): readonly DoneJudgement[] {
  if (first === undefined || decision === null) return []
  return [{ ...first, verdict: decision.verdict, failure: null }]
}
