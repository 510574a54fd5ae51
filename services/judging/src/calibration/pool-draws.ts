import { type GradingStrategy, gradingStrategies } from '../labels/choose-candidates.ts'

export interface SampledItem {
  readonly samplingMethod: string | null
  readonly stratum: string | null
  /** The probability when it was chosen. */
  readonly samplingProbability: number
}

/**
 * Treats all draws of `next_to_grade` from a stratum as one sample. Each draw continues where the previous one ended, so
 * only the latest knows which share of the stratum was graded. The selected items together represent the whole stratum.
 * Items that were chosen in another way keep their sampling probability.
 *
 * @param graded all graded items, among them the selected ones
 */
export function poolDraws<Item extends SampledItem>(selected: readonly Item[], graded: readonly Item[]): Item[] {
  const gradedIn = Map.groupBy(graded, stratumOf)
  const selectedIn = Map.groupBy(selected, stratumOf)
  return selected.map((item) => {
    const stratum = stratumOf(item)
    const pooled = gradedIn.get(stratum)
    if (stratum === null || pooled === undefined) return item
    const selectedShare = (selectedIn.get(stratum)?.length ?? 1) / pooled.length
    return { ...item, samplingProbability: gradedShareOf(pooled) * selectedShare }
  })
}

/** Null for items that `next_to_grade` did not choose. */
function stratumOf({ samplingMethod, stratum }: SampledItem): string | null {
  const isOurs = gradingStrategies.includes(samplingMethod as GradingStrategy)
  return isOurs && stratum !== null ? JSON.stringify([samplingMethod, stratum]) : null
}

/** The share of a stratum that was graded by the end of its latest draw. */
function gradedShareOf(items: readonly SampledItem[]): number {
  return items.reduce((highest, { samplingProbability }) => Math.max(highest, samplingProbability), 0)
}
