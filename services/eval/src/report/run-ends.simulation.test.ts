import { describeRates, type SimulatedWorld } from '@ratchet/testing/describe-rates'
import type { MeasuredSample } from '../samples/measured-sample.ts'
import { differenceOf } from './difference-of.ts'
import { asked, drawSamples } from './simulated-eval.fixture.ts'

/** Two equal models. */
const equal = { wins: 0.4, losses: 0.4 }
const stepsOfRun = 10

/** The steps of a run, which all have the same outcome. */
function stepsOf(samples: readonly MeasuredSample[], areOneRun: boolean): readonly MeasuredSample[] {
  return samples.flatMap((sample) =>
    Array.from({ length: stepsOfRun }, (_, step) => ({
      ...sample,
      id: `${sample.id} ${step}`,
      cluster: areOneRun ? sample.cluster : `${sample.cluster} ${step}`,
    })),
  )
}

function world(
  title: string,
  rates: Pick<SimulatedWorld, 'atMost' | 'atLeast'>,
  samplesOf: (random: () => number) => readonly MeasuredSample[],
): SimulatedWorld {
  return {
    title,
    ...rates,
    runs: 100,
    fullRuns: 10_000,
    happens: (random) => differenceOf(samplesOf(random), 0, asked())?.verdict === 'better',
  }
}

describeRates('an eval of agent runs calls one of two equal models better', [
  world('the last answer of each of 100 runs', { atMost: 0.03 }, (random) => drawSamples(random, 100, equal)),
  world('ten steps of each of 50 runs, as one unit', { atMost: 0.04 }, (random) =>
    stepsOf(drawSamples(random, 50, equal), true),
  ),
  world('ten steps of each of 50 runs, if each were a unit', { atLeast: 0.15 }, (random) =>
    stepsOf(drawSamples(random, 50, equal), false),
  ),
])
