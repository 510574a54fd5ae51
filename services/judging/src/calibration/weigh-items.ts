import type { GradeSampling, ItemWeight } from './graded-items.ts'
import { pickedStratum, randomStratum, stratumKey } from './strata.ts'

/**
 * Gives each item the share of its stratum that the selected items of the stratum are, so that together they represent all of
 * it. Items of a frame in which a stratum has no selected item represent only a part of the traffic, like picked ones.
 *
 * @param selected items that a calibration judges, and those that people left unanswered
 */
export function weighItems<Item extends DrawnItem>(selected: readonly Item[]): (Item & ItemWeight)[] {
  const selectedIn = countStrata(selected)
  const strataIn = countGradedStrata(selected)
  return selected.map((item) => {
    const { sampling } = item
    if (sampling.kind === 'frame' && strataIn.get(sampling.frameId) !== sampling.strata) {
      return { ...item, stratum: pickedStratum, samplingProbability: 1 }
    }
    const stratum = stratumNameOf(sampling)
    const count = selectedIn.get(stratum)?.length ?? 1
    return { ...item, stratum, samplingProbability: sampling.kind === 'frame' ? Math.min(1, count / sampling.rows) : 1 }
  })
}

interface DrawnItem {
  readonly sampling: GradeSampling
}

function countStrata(items: readonly DrawnItem[]): ReadonlyMap<string, readonly DrawnItem[]> {
  return Map.groupBy(items, ({ sampling }) => stratumNameOf(sampling))
}

function countGradedStrata(items: readonly DrawnItem[]): ReadonlyMap<string, number> {
  const frames = items.flatMap(({ sampling }) => (sampling.kind === 'frame' ? [sampling] : []))
  const strata = Map.groupBy(frames, ({ frameId }) => frameId)
  return new Map([...strata].map(([id, members]) => [id, new Set(members.map(({ stratum }) => stratum)).size]))
}

function stratumNameOf(sampling: GradeSampling): string {
  if (sampling.kind === 'random') return randomStratum
  if (sampling.kind === 'picked') return pickedStratum
  return stratumKey(sampling.frameId, sampling.stratum)
}
