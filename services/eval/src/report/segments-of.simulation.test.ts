import { describeRates, type SimulatedWorld } from '@ratchet/testing/describe-rates'
import { segmentsOf } from './segments-of.ts'
import { drawSamples, type TrueShares } from './simulated-eval.fixture.ts'

interface Segment {
  readonly samples: number
  readonly shares: TrueShares
}

/** An eval whose segments have these true shares. */
function world(
  title: string,
  {
    segments,
    happens,
    ...promised
  }: Pick<SimulatedWorld, 'atMost' | 'atLeast'> & {
    segments: readonly Segment[]
    happens: (found: NonNullable<ReturnType<typeof segmentsOf>>) => boolean
  },
): SimulatedWorld {
  return {
    title,
    ...promised,
    runs: 150,
    fullRuns: 10_000,
    happens(random) {
      const samples = segments.flatMap(({ samples: count, shares }, index) =>
        drawSamples(random, count, shares).map((sample) => ({
          ...sample,
          id: `${index}-${sample.id}`,
          cluster: `${index}-${sample.cluster}`,
          segment: `segment-${index}`,
        })),
      )
      const found = segmentsOf(samples, 0)
      return found !== null && happens(found)
    },
  }
}

const even = (count: number, samples: number, shares: TrueShares): readonly Segment[] =>
  Array.from({ length: count }, () => ({ samples, shares }))
const equal = { wins: 0.3, losses: 0.3 }
const differs = (found: { heterogeneity_p: number }) => found.heterogeneity_p < 0.05
const anyWorse = (found: { list: readonly { is_worse: boolean }[] }) => found.list.some(({ is_worse }) => is_worse)

describeRates('segments of equal candidates are called different', [
  world('5 segments of 100', { segments: even(5, 100, equal), happens: differs, atMost: 0.06 }),
  world('20 segments of 25', { segments: even(20, 25, equal), happens: differs, atMost: 0.06 }),
  world('20 segments of 10, 80 % ties', {
    segments: even(20, 10, { wins: 0.1, losses: 0.1 }),
    happens: differs,
    atMost: 0.06,
  }),
  world('sizes from 10 to 200, other shares of ties', {
    segments: [10, 20, 50, 100, 200].map((samples, index) => ({
      samples,
      shares: { wins: 0.05 + 0.08 * index, losses: 0.05 + 0.08 * index },
    })),
    happens: differs,
    atMost: 0.06,
  }),
])

describeRates('a segment is called worse', [
  world('none is, 10 segments of 50', { segments: even(10, 50, equal), happens: anyWorse, atMost: 0.025 }),
  world('none is, all are better', {
    segments: even(10, 50, { wins: 0.4, losses: 0.3 }),
    happens: anyWorse,
    atMost: 0.025,
  }),
  world('one of 5 is, by 40 points, though the mean is better', {
    segments: [...even(4, 80, { wins: 0.45, losses: 0.2 }), { samples: 80, shares: { wins: 0.15, losses: 0.55 } }],
    happens: anyWorse,
    atLeast: 0.85,
  }),
])
