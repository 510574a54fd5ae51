import type { JudgeMeasures } from './calibration-result.ts'
import type { Frequency } from './most-frequent.ts'
import { type Repeats, repeatabilityOf } from './repeats.ts'

export interface NoteFacts {
  readonly measures: JudgeMeasures
  /** Null when no row has a second verdict. */
  readonly repeats: Repeats | null
  /** Number of graded items without a readable verdict. */
  readonly unparseable: number
  /** Number of graded items that were left out because the prompt was tuned on them. */
  readonly tuned: number
  /** Number of picked items that were left out. */
  readonly leftOut: number
  /** Number of items that were left out because a stratum of their frame has no grade. */
  readonly incomplete: number
  /** Names that the provider reported. */
  readonly models: readonly Frequency[]
  readonly fingerprints: readonly Frequency[]
}

/** With fewer grades a calibration proves almost nothing. */
export const minGrades = 20

/** Notes for the reader of a calibration, beside its numbers. */
export function calibrationNotes(facts: NoteFacts): readonly string[] {
  const { measures, repeats, unparseable, tuned, leftOut, incomplete, models, fingerprints } = facts
  const { confusion, sampling, picked = 0, unanswered = 0, cut = 0 } = measures
  const graded = confusion.tp + confusion.fn + confusion.fp + confusion.tn + unparseable
  return [
    ...(measures.tpr === null ? ['There are no grades of failing answers, so tpr is not measured.'] : []),
    ...(measures.tnr === null ? ['There are no grades of passing answers, so tnr is not measured.'] : []),
    ...(graded < minGrades
      ? [`${graded} graded items prove little; grade at least ${minGrades}, of both classes.`]
      : []),
    ...(sampling === 'weighted'
      ? [
          'Items were chosen from strata with different probabilities: rates and intervals are weighted, confusion and kappa are not.',
        ]
      : []),
    ...(unparseable === 0
      ? []
      : [
          `${unparseable} graded items have no readable verdict. They count as errors of the judge in tpr and tnr, not in confusion and kappa.`,
        ]),
    ...(tuned === 0 ? [] : [`${tuned} graded items are left out, because the prompt was tuned on them.`]),
    ...(picked === 0
      ? []
      : [
          `${picked} graded items were picked by people, so the rates may not be those of the traffic. No gate acts on them.`,
        ]),
    ...(leftOut === 0 ? [] : [`${leftOut} graded items are left out, because people picked them.`]),
    ...(incomplete === 0
      ? []
      : [
          `${incomplete} graded items are left out, because a part of the exchanges they were drawn with has no grade yet.`,
        ]),
    ...(unanswered === 0
      ? []
      : [
          `${unanswered} items were offered before others that have a grade, and have none. They count as errors of the judge: grade them.`,
        ]),
    ...(cut === 0
      ? []
      : [
          `${cut} graded items are left out of draws of which label_filter or max_rows selects others. No gate acts on the rest.`,
        ]),
    ...wavering(repeats),
    ...several('models', models),
    ...several('fingerprints', fingerprints),
  ]
}

/** A judge that is proven to agree with itself less often cannot reach the bar on both classes by much. */
const minRepeatability = 0.95

function wavering(repeats: Repeats | null): readonly string[] {
  if (repeats === null || repeatabilityOf(repeats).interval.high >= minRepeatability) return []
  const { rows, same } = repeats
  return [
    `Asked a second time about ${rows} of the graded items, the judge gave the same verdict on ${same}. Say more exactly in its prompt what fails, or choose another judge model.`,
  ]
}

function several(what: string, seen: readonly Frequency[]): readonly string[] {
  if (seen.length < 2) return []
  const listed = seen.map(({ value, count }) => `${value} (${count})`)
  return [`The provider answered with ${seen.length} ${what}: ${listed.join(', ')}.`]
}
