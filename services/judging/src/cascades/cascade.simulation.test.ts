import { randomFromSeed } from '@ratchet/stats/random-from-seed'
import { describeRates, type SimulatedWorld } from '@ratchet/testing/describe-rates'
import {
  agreementIn,
  type CascadeWorld,
  createTruth,
  gradeRows,
  informative,
  misleading,
  promise,
  uninformative,
} from './cascade-world.fixture.ts'
import { chooseThresholds } from './choose-thresholds.ts'
import type { Thresholds } from './decide-item.ts'
import { errorProbabilityOf } from './error-probability.ts'
import { thresholdChains } from './threshold-chains.ts'

const nanoPerVerdict = [100_000, 300_000, 3_000_000]
/** True agreement is read from a sample, so less than this below the promise is not counted. */
const tolerance = 0.002

interface NamedWorld extends CascadeWorld {
  readonly name: string
}

function choose(world: CascadeWorld, random: () => number, errorProbability = promise.errorProbability) {
  const { verdictCounts, judges } = world
  const costs = nanoPerVerdict.slice(-judges.length)
  const request = { verdictCounts, nanoPerVerdict: costs, agreement: promise.agreement, errorProbability, seed: 's' }
  return chooseThresholds(gradeRows(world, random), request)
}

const three = { verdictCounts: [3, 1], failRate: 0.2 }
const kinds = {
  informative: { ...three, judges: [informative, uninformative(0.93)] },
  uninformative: { ...three, judges: [uninformative(0.89), uninformative(0.895)] },
  misleading: { ...three, judges: [misleading, uninformative(0.9)] },
  'three judges, uninformative': {
    judges: [uninformative(0.85), uninformative(0.89), uninformative(0.895)],
    verdictCounts: [5, 3, 1],
    failRate: 0.3,
  },
}

const worlds = Object.entries(kinds).flatMap(([name, kind]): NamedWorld[] => [
  { ...kind, name, grades: 100, draw: 'random' },
  { ...kind, name, grades: 300, draw: 'random' },
  { ...kind, name, grades: 300, draw: 'balanced' },
])

function titleOf({ name, grades, draw }: NamedWorld): string {
  return `${name} confidence, ${grades} grades, ${draw}`
}

/** The truth of a kind of cascade does not depend on how it was graded. */
const truths = new Map<string, ReturnType<typeof createTruth>>()

function breaksPromise(world: NamedWorld) {
  const truth = truths.get(world.name) ?? createTruth(world, randomFromSeed(`truth ${world.name}`))
  truths.set(world.name, truth)
  return (thresholds: Thresholds | undefined) =>
    thresholds !== undefined && truth(thresholds) < promise.agreement - tolerance
}

const runsOf = ({ draw }: CascadeWorld) => (draw === 'random' ? 60 : 8)

describeRates(
  'a calibrated cascade agrees less with people than 0.9',
  worlds.map((world): SimulatedWorld => {
    const breaks = breaksPromise(world)
    return {
      title: titleOf(world),
      atMost: 0.05,
      runs: runsOf(world),
      fullRuns: world.draw === 'random' ? 2_000 : 1_000,
      happens: (random) => breaks(choose(world, random)?.thresholds),
    }
  }),
)

/** Grades accumulate in practice; new ones each time are the case in which more chances to err are there. */
describeRates(
  'any of ten calibrations of one cascade agrees less with people than 0.9',
  worlds
    .filter(({ draw, grades }) => draw === 'random' && grades === 300)
    .map((world): SimulatedWorld => {
      const breaks = breaksPromise(world)
      const ordinals = Array.from({ length: 10 }, (_, index) => index + 1)
      return {
        title: titleOf(world),
        atMost: 0.05,
        runs: 10,
        fullRuns: 500,
        happens: (random) =>
          ordinals.some((ordinal) => breaks(choose(world, random, errorProbabilityOf(0.95, ordinal))?.thresholds)),
      }
    }),
)

/** A person creates cascades, of copies of the judges too, until one is proven, with new grades each time. */
function createsUntilProven(world: NamedWorld, errorProbability: (attempt: number) => number) {
  const breaks = breaksPromise(world)
  return (random: () => number) => {
    for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
      const chosen = choose(world, random, errorProbability(attempt))
      if (chosen !== null) return breaks(chosen.thresholds)
    }
    return false
  }
}

const maxAttempts = 20
const justBelow = worlds.filter(({ name, draw, grades }) => {
  return name !== 'informative' && draw === 'random' && grades === 300
})

describeRates('new cascades are created until one is proven, which agrees less with people than 0.9', [
  ...justBelow.map((world): SimulatedWorld => {
    const happens = createsUntilProven(world, (attempt) => errorProbabilityOf(0.95, attempt))
    return { title: titleOf(world), atMost: 0.05, runs: 4, fullRuns: 600, happens }
  }),
  {
    title: 'the same, uninformative confidence, if each new cascade counted as the first attempt',
    atLeast: 0.1,
    runs: 8,
    fullRuns: 400,
    happens: (random) => {
      const [world] = justBelow
      return world !== undefined && createsUntilProven(world, () => errorProbabilityOf(0.95, 1))(random)
    },
  },
])

/** What would be chosen without the test: the thresholds that decide most, with 0.9 in the grades themselves. */
function chooseWithoutTest(world: CascadeWorld, random: () => number): Thresholds | undefined {
  const rows = gradeRows(world, random)
  return thresholdChains(world.verdictCounts)
    .flat()
    .filter((thresholds) => agreementIn(rows, thresholds) >= promise.agreement)
    .at(-1)
}

describeRates(
  'thresholds that are chosen without the test agree less with people than 0.9',
  worlds
    .filter(({ draw, name, grades }) => draw === 'random' && name === 'uninformative' && grades <= 300)
    .map((world): SimulatedWorld => {
      const breaks = breaksPromise(world)
      return {
        title: titleOf(world),
        atLeast: 0.2,
        runs: 60,
        fullRuns: 1_000,
        happens: (random) => breaks(chooseWithoutTest(world, random)),
      }
    }),
)

const useful: NamedWorld = {
  name: 'informative',
  judges: [informative, uninformative(0.97)],
  verdictCounts: [3, 1],
  failRate: 0.2,
  grades: 300,
  draw: 'random',
}

describeRates(
  'a cascade of a cheap judge with informative confidence and a good one',
  (['random', 'balanced'] as const).flatMap((draw): SimulatedWorld[] => {
    const world = { ...useful, draw }
    const shared = { atLeast: 0.8, runs: runsOf(world), fullRuns: 500 }
    return [
      {
        ...shared,
        title: `${titleOf(world)}: decides at least 95 %`,
        happens: (random) => (choose(world, random)?.coverage ?? 0) >= 0.95,
      },
      {
        ...shared,
        title: `${titleOf(world)}: saves at least 40 % of the price of the last judge`,
        happens: (random) => (choose(world, random)?.nanoPerItem ?? Number.POSITIVE_INFINITY) <= 1_800_000,
      },
    ]
  }),
)
