import { type GradingStrategy, gradingStrategies } from '../labels/choose-candidates.ts'

/** An item that was chosen for grading out of a stratum. */
export interface SampledItem {
  readonly samplingMethod: string | null
  readonly stratum: string | null
  /** 1 / the probability with which it was chosen, as that was when it was. */
  readonly weight: number
}

/**
 * Weighs what was chosen by `next_to_grade`, whose draws go on where the last one ended: all that were graded of a
 * stratum are one sample of it, and how large a share they are, only the latest of them knows. Those that are selected
 * stand for the whole stratum together. What was chosen in another way keeps its weight.
 *
 * @param graded everything that was graded, what is selected among it
 */
export function weighStrata<Item extends SampledItem>(selected: readonly Item[], graded: readonly Item[]): Item[] {
  const sizes = new Map(
    [...Map.groupBy(graded, stratumOf)].map(([stratum, items]) => [stratum, items.length * lowestWeight(items)]),
  )
  const counts = new Map([...Map.groupBy(selected, stratumOf)].map(([stratum, items]) => [stratum, items.length]))
  return selected.map((item) => {
    const stratum = stratumOf(item)
    const size = sizes.get(stratum)
    return stratum === null || size === undefined ? item : { ...item, weight: size / (counts.get(stratum) ?? 1) }
  })
}

/** Null where nobody knows how items were chosen after each other. */
function stratumOf({ samplingMethod, stratum }: SampledItem): string | null {
  const isOurs = gradingStrategies.includes(samplingMethod as GradingStrategy)
  return isOurs && stratum !== null ? JSON.stringify([samplingMethod, stratum]) : null
}

function lowestWeight(items: readonly SampledItem[]): number {
  return items.reduce((lowest, { weight }) => Math.min(lowest, weight), Number.POSITIVE_INFINITY)
}
