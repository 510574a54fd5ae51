import type { JudgeMeasures } from './calibration-result.ts'
import type { Frequency } from './most-frequent.ts'

export interface Noted {
  readonly measures: JudgeMeasures
  /** Graded items that were left out, because the prompt was found with them. */
  readonly tuned: number
  /** As the provider called what answered. */
  readonly models: readonly Frequency[]
  readonly fingerprints: readonly Frequency[]
}

/** Grades below which a calibration says next to nothing. */
export const minGrades = 20

/** What the reader of a calibration should know beside its numbers. */
export function calibrationNotes({ measures, tuned, models, fingerprints }: Noted): readonly string[] {
  const { confusion, sampling } = measures
  const fails = confusion.tp + confusion.fn
  const passes = confusion.fp + confusion.tn
  return [
    ...(fails === 0 ? ['There are no grades of failing answers, so tpr is not measured.'] : []),
    ...(passes === 0 ? ['There are no grades of passing answers, so tnr is not measured.'] : []),
    ...(fails + passes < minGrades
      ? [`${fails + passes} graded items say little; grade at least ${minGrades}, of both classes.`]
      : []),
    ...(sampling === 'weighted'
      ? [
          'Items were chosen with different probabilities: rates and intervals are weighted, confusion and kappa are not.',
        ]
      : []),
    ...(tuned === 0
      ? []
      : [`${tuned} graded items are left out: the prompt was found with them, so they prove nothing of it.`]),
    ...several('models', models),
    ...several('fingerprints', fingerprints),
  ]
}

function several(what: string, seen: readonly Frequency[]): readonly string[] {
  if (seen.length < 2) return []
  const listed = seen.map(({ value, count }) => `${value} (${count})`)
  return [`The provider answered with ${seen.length} ${what}: ${listed.join(', ')}.`]
}
