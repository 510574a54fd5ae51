import type { EvalSegments } from '@ratchet/contracts/eval-segments'
import { segmentEffects } from '@ratchet/stats/segment-effects'
import type { MeasuredSample } from '../samples/measured-sample.ts'
import { countScores, effectiveScale, fixedInterval, scoreOf } from './difference-of.ts'

/** Minimum counted samples of a segment that is compared with the others. */
const minSamples = 10
/** Segments that are listed; the rest are counted together. */
const maxSegments = 20
/** Segments are called different only below this p-value. */
const maxP = 0.05

type Segment = EvalSegments['list'][number]

/**
 * The difference of a candidate in each segment of the prompts, and whether segments differ more than by chance.
 *
 * @returns null unless at least two segments have enough samples
 */
export function segmentsOf(samples: readonly MeasuredSample[], place: number): EvalSegments | null {
  const scored = samples.flatMap((sample) => {
    const score = scoreOf(sample, place)
    return score === null || sample.segment === null ? [] : [{ ...sample, segment: sample.segment, score }]
  })
  const groups = [...Map.groupBy(scored, ({ segment }) => segment)]
    .map(([segment, own]) => ({ segment, clusters: clustersOf(own) }))
    .toSorted((one, other) => sizeOf(other) - sizeOf(one) || (one.segment < other.segment ? -1 : 1))
  const compared = groups.filter((group) => sizeOf(group) >= minSamples).slice(0, maxSegments)
  const effects = segmentEffects(compared.map(({ clusters }) => meanOf(clusters)))
  if (effects === null) return null
  const list = compared.flatMap(({ segment, clusters }, index): Segment[] => {
    const [estimate, own] = [fixedInterval(clusters), effects.shrunken[index]]
    if (estimate === null || own === undefined) return []
    const { low, high } = own.interval
    return [
      {
        segment,
        samples: clusters.flat().length,
        ...countScores(clusters.flat()),
        difference: estimate.value,
        ci: [estimate.interval.low, estimate.interval.high],
        shrunken: own.mean,
        shrunken_ci: [low, high],
        is_worse: effects.heterogeneityP < maxP && high < 0,
      },
    ]
  })
  const listed = list.reduce((total, each) => total + each.samples, 0)
  return {
    list,
    other_samples: scored.length - listed,
    heterogeneity_p: effects.heterogeneityP,
    spread: effects.spread,
  }
}

type Clusters = readonly (readonly number[])[]

function clustersOf(scored: readonly { readonly cluster: string; readonly score: number }[]): Clusters {
  return [...Map.groupBy(scored, ({ cluster }) => cluster).values()].map((own) => own.map(({ score }) => score))
}

function sizeOf({ clusters }: { readonly clusters: Clusters }): number {
  return clusters.flat().length
}

function meanOf(clusters: Clusters) {
  const scores = clusters.flat()
  const mean = scores.reduce((total, score) => total + score, 0) / scores.length
  const variance = scores.reduce((total, score) => total + (score - mean) ** 2, 0) / (scores.length - 1)
  return { mean, variance, n: Math.max(2, scores.length * effectiveScale(clusters)) }
}

/** Warnings about segments in which a candidate is worse, which its mean over all segments does not show. */
export function segmentWarnings(
  candidates: readonly (readonly [model: string, segments: EvalSegments | null])[],
): readonly string[] {
  return candidates.flatMap(([model, segments]) =>
    (segments?.list ?? [])
      .filter(({ is_worse: isWorse }) => isWorse)
      .map(
        ({ segment, shrunken, samples }) =>
          `${model} is worse in the segment ${segment}: wins minus losses are ${Math.round(shrunken * 100)} points there (${samples} samples).`,
      ),
  )
}
