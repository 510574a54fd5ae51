import type { GradedItem, GradeSampling, WeighedItem } from './graded-items.ts'
import { pickedStratum, randomStratum, stratumKey } from './strata.ts'

/**
 * Gives each item the share of its stratum that the selected items of the stratum are, so that together they represent all of
 * it. Items of a frame in which a stratum has no selected item represent only a part of the traffic, like picked ones.
 *
 * @param selected items that a calibration judges
 * @param graded all graded items, among them the selected ones
 */
export function weighItems(selected: readonly GradedItem[], graded: readonly GradedItem[]): WeighedItem[] {
  const gradedIn = countStrata(graded)
  const selectedIn = countStrata(selected)
  const strataIn = countGradedStrata(selected)
  return selected.map((item) => {
    const { sampling } = item
    if (sampling.kind === 'frame' && strataIn.get(sampling.frameId) !== sampling.strata) {
      return { ...item, stratum: pickedStratum, samplingProbability: 1 }
    }
    const stratum = stratumNameOf(sampling)
    const count = selectedIn.get(stratum)?.length ?? 1
    const pooled = gradedIn.get(stratum) ?? []
    return { ...item, stratum, samplingProbability: shareOf(sampling, count, pooled) }
  })
}

function countStrata(items: readonly GradedItem[]): ReadonlyMap<string, readonly GradedItem[]> {
  return Map.groupBy(items, ({ sampling }) => stratumNameOf(sampling))
}

function countGradedStrata(items: readonly GradedItem[]): ReadonlyMap<string, number> {
  const frames = items.flatMap(({ sampling }) => (sampling.kind === 'frame' ? [sampling] : []))
  const strata = Map.groupBy(frames, ({ frameId }) => frameId)
  return new Map([...strata].map(([id, members]) => [id, new Set(members.map(({ stratum }) => stratum)).size]))
}

function stratumNameOf(sampling: GradeSampling): string {
  if (sampling.kind === 'random') return randomStratum
  if (sampling.kind === 'picked') return pickedStratum
  if (sampling.kind === 'frame') return stratumKey(sampling.frameId, sampling.stratum)
  return stratumKey(sampling.method, sampling.stratum ?? '')
}

/** Methods of `next_to_grade` of older releases, whose strata had no frame. */
const olderMethods: readonly string[] = ['balanced', 'disagreement']

/**
 * The draws of an older release from one stratum are one sample: each continued where the previous one ended, so only the
 * latest knows which share of the stratum was graded.
 */
function shareOf(sampling: GradeSampling, selected: number, pooled: readonly GradedItem[]): number {
  if (sampling.kind === 'frame') return Math.min(1, selected / sampling.rows)
  if (sampling.kind !== 'stated') return 1
  if (!olderMethods.includes(sampling.method) || sampling.stratum === null) return sampling.probability
  return pooled.reduce((highest, item) => Math.max(highest, statedShare(item)), 0) * (selected / pooled.length)
}

function statedShare({ sampling }: GradedItem): number {
  return sampling.kind === 'stated' ? sampling.probability : 0
}
