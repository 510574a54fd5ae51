import type { JudgeMeasures } from './calibration-result.ts'
import type { Frequency } from './most-frequent.ts'

export interface NoteFacts {
  readonly measures: JudgeMeasures
  /** Number of graded items that were left out because the prompt was tuned on them. */
  readonly tuned: number
  /** Names that the provider reported. */
  readonly models: readonly Frequency[]
  readonly fingerprints: readonly Frequency[]
}

/** With fewer grades a calibration proves almost nothing. */
export const minGrades = 20

/** Notes for the reader of a calibration, beside its numbers. */
export function calibrationNotes({ measures, tuned, models, fingerprints }: NoteFacts): readonly string[] {
  const { confusion, sampling } = measures
  const fails = confusion.tp + confusion.fn
  const passes = confusion.fp + confusion.tn
  return [
    ...(fails === 0 ? ['There are no grades of failing answers, so tpr is not measured.'] : []),
    ...(passes === 0 ? ['There are no grades of passing answers, so tnr is not measured.'] : []),
    ...(fails + passes < minGrades
      ? [`${fails + passes} graded items prove little; grade at least ${minGrades}, of both classes.`]
      : []),
    ...(sampling === 'weighted'
      ? [
          'Items were chosen with different probabilities: rates and intervals are weighted, confusion and kappa are not.',
        ]
      : []),
    ...(tuned === 0 ? [] : [`${tuned} graded items are left out, because the prompt was tuned on them.`]),
    ...several('models', models),
    ...several('fingerprints', fingerprints),
  ]
}

function several(what: string, seen: readonly Frequency[]): readonly string[] {
  if (seen.length < 2) return []
  const listed = seen.map(({ value, count }) => `${value} (${count})`)
  return [`The provider answered with ${seen.length} ${what}: ${listed.join(', ')}.`]
}
