import { describeRates, type SimulatedWorld } from '@ratchet/testing/describe-rates'
import { type FamiliesEnd, type SimulatedFamilies, simulateFamilies } from './simulated-families.fixture.ts'

/** One-sided error rate of a gate of 95 %. */
const nominal = 0.025
const good = { share: 0.2, target: 0.1, canary: 0.1 }
const five = [good, good, good, good, good].map((each) => ({ ...each }))
/** The second of five is worse by 15 points. */
const worseInOne = five.map((each, index) => (index === 1 ? { ...each, canary: 0.25 } : each))
const common: SimulatedFamilies = { families: worseInOne, grades: 300, answers: 8_000, everyAnswers: 100 }

function world(
  title: string,
  rates: Pick<SimulatedWorld, 'atMost' | 'atLeast'>,
  { happens, ...change }: Partial<SimulatedFamilies> & { readonly happens: (end: FamiliesEnd) => boolean },
): SimulatedWorld {
  const simulated = { ...common, ...change }
  return {
    title,
    ...rates,
    runs: 8,
    fullRuns: 1_500,
    happens: (random) => happens(simulateFamilies(simulated, random)),
  }
}

const onlyThe = (family: number, { rolledBack }: FamiliesEnd) => rolledBack.size === 1 && rolledBack.has(family)
const anyOther = (family: number, { rolledBack }: FamiliesEnd) => [...rolledBack.keys()].some((each) => each !== family)

describeRates('rolls back a family that is worse by 15 points', [
  world(
    'one of five, within 7,500 scored answers',
    { atLeast: 0.8 },
    {
      grades: 0,
      happens: ({ rolledBack }) => (rolledBack.get(1) ?? Number.POSITIVE_INFINITY) <= 7_500,
    },
  ),
  world('one of five, with 300 grades in each arm', { atLeast: 0.8 }, { happens: (end) => end.rolledBack.has(1) }),
  world(
    'one of five, 20:80',
    { atLeast: 0.8 },
    {
      settings: { canary_percent: 20 },
      answers: 12_000,
      grades: 0,
      happens: (end) => onlyThe(1, end),
    },
  ),
  world(
    'a sixth family that appears after 2,000 answers',
    { atLeast: 0.8 },
    {
      families: [...five, { share: 0.25, target: 0.1, canary: 0.25, from: 2_000 }],
      answers: 10_000,
      grades: 0,
      happens: (end) => onlyThe(5, end),
    },
  ),
])

describeRates('rolls back a family in which the canary is equal', [
  world('all five are equal', { atMost: 0.05 }, { families: five, happens: ({ rolledBack }) => rolledBack.size > 0 }),
  world('one of five is worse', { atMost: 0.05 }, { grades: 0, happens: (end) => anyOther(1, end) }),
  world(
    'forty families, one is worse',
    { atMost: 0.05 },
    {
      families: [...Array.from({ length: 39 }, () => ({ ...good, share: 0.02 })), { ...good, canary: 0.25 }],
      grades: 0,
      happens: (end) => anyOther(39, end),
    },
  ),
])

describeRates('names a family that is worse by exactly the threshold', [
  world(
    'all five are',
    { atMost: 0.05 },
    {
      families: five.map((each) => ({ ...each, canary: 0.15 })),
      grades: 0,
      happens: ({ rolledBack }) => rolledBack.size > 0,
    },
  ),
])

describeRates('promotes the canary on the rest', [
  world('which is equal', { atLeast: 0.75 }, { happens: (end) => end.action === 'promote' && onlyThe(1, end) }),
  world(
    'which is worse by exactly the threshold',
    { atMost: nominal },
    {
      families: worseInOne.map((each, index) => (index === 1 ? { ...each, canary: 0.35 } : { ...each, canary: 0.15 })),
      happens: ({ action }) => action === 'promote',
    },
  ),
])

describeRates('treats a canary that is the same in all families as before', [
  world('promotes an equal one', { atLeast: 0.85 }, { families: five, happens: ({ action }) => action === 'promote' }),
  world(
    'rolls back one that is worse by 20 points',
    { atLeast: 0.99 },
    {
      families: five.map((each) => ({ ...each, canary: 0.3 })),
      grades: 0,
      happens: ({ action }) => action === 'roll_back',
    },
  ),
  world(
    'takes families out of one that is worse by 20 points',
    { atMost: 0.1 },
    {
      families: five.map((each) => ({ ...each, canary: 0.3 })),
      grades: 0,
      happens: ({ rolledBack }) => rolledBack.size > 0,
    },
  ),
  world(
    'promotes one that is worse by exactly the threshold',
    { atMost: nominal },
    {
      families: five.map((each) => ({ ...each, canary: 0.15 })),
      happens: ({ action }) => action === 'promote',
    },
  ),
])
