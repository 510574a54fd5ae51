import type { RoundEvidence } from '@ratchet/contracts/review-rounds'
import type { GradeInForce, ItemWeight, UnansweredItem, WeighedItem } from '../calibration/graded-items.ts'
import { measureJudge } from '../calibration/measure-judge.ts'
import { type MeasuredRow, unansweredRow } from '../calibration/measured-row.ts'
import { selectItemsInSteps } from '../calibration/select-items.ts'
import { drawOf } from '../calibration/strata.ts'
import { judgedVerdictOf } from '../labels/grading-frame.ts'

const everyGrade = { createdAfter: null, graderId: null, sampling: 'any', maxRows: null, includesPicked: true } as const

/** A decided item of a round. */
export interface DecidedItem {
  readonly item: WeighedItem
  /** Its stratum in the frame. */
  readonly stratum: string
}

export interface RoundItems {
  readonly decided: readonly DecidedItem[]
  /** What people were given and did not answer, although later items have a grade. */
  readonly unanswered: readonly ItemWeight[]
}

interface RoundGrades {
  readonly grades: readonly GradeInForce[]
  readonly unanswered: readonly UnansweredItem[]
}

/** The items of a round, decided by the grades of all people, but those that are still hidden. Yields from time to time. */
export function* itemsOfRound(
  { grades, unanswered }: RoundGrades,
  { roundId, hidden }: { readonly roundId: string; readonly hidden: ReadonlySet<string> },
): Generator<void, RoundItems> {
  const shown = grades.filter(({ labelId }) => !hidden.has(labelId))
  const selected = yield* selectItemsInSteps(shown, everyGrade, unanswered)
  const decided = selected.items.flatMap((item) => {
    const { sampling } = item
    return sampling.kind === 'frame' && sampling.frameId === roundId ? [{ item, stratum: sampling.stratum }] : []
  })
  return { decided, unanswered: selected.unanswered.filter(({ stratum }) => drawOf(stratum) === roundId) }
}

/**
 * What a calibration would find if the judge gave the verdicts of the frame again, by the same functions; null while a
 * stratum has no decided item.
 */
export function evidenceOf({ decided, unanswered }: RoundItems, roundId: string): RoundEvidence | null {
  if (decided.length === 0 || decided.some(({ item }) => drawOf(item.stratum) !== roundId)) return null
  const answered = decided.map(({ item: { human, samplingProbability, stratum }, stratum: name }): MeasuredRow => {
    return { human, samplingProbability, stratum, verdict: judgedVerdictOf(name) ?? 'pass' }
  })
  const rows = [...answered, ...unanswered.map(unansweredRow)]
  const {
    tpr,
    tnr,
    tprCi: tpr_ci,
    tnrCi: tnr_ci,
    trust,
    confusion,
  } = measureJudge(rows, `${roundId} ${answered.length}`)
  return { tpr, tnr, tpr_ci, tnr_ci, trust, confusion: { ...confusion } }
}
