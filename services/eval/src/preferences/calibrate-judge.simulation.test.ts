import type { Preferred } from '@ratchet/contracts/eval-preferences'
import { winRate } from '@ratchet/stats/win-rate'
import { describeRates, type SimulatedWorld } from '@ratchet/testing/describe-rates'
import { lost, samplesWith, tied, won } from '../report/measured-samples.fixture.ts'
import { calibrateJudge } from './calibrate-judge.ts'

const outcomes = ['candidate', 'tie', 'baseline'] as const satisfies readonly Preferred[]
const pairs = { candidate: won, tie: tied, baseline: lost } as const

interface World {
  /** True shares of wins and ties, by people. */
  readonly wins: number
  readonly ties: number
  /** The judge's outcome given that of people: probabilities of candidate, tie, baseline. */
  readonly judge: Readonly<Record<Preferred, readonly [number, number, number]>>
  readonly samples: number
  /** Preferences of each outcome of the judge. */
  readonly grades: readonly [number, number, number]
}

function pick(random: () => number, shares: readonly number[]): Preferred {
  let place = random()
  const index = shares.findIndex((share) => {
    place -= share
    return place < 0
  })
  return outcomes[index === -1 ? 2 : index] ?? 'baseline'
}

/** Whether an interval misses the true win rate, by people. */
function misses(random: () => number, world: World, kind: 'corrected' | 'raw'): boolean {
  const { wins, ties, judge, samples: count, grades } = world
  const drawn = Array.from({ length: count }, () => {
    const human = pick(random, [wins, ties, 1 - wins - ties])
    return { human, judged: pick(random, judge[human]) }
  })
  const truth = wins + ties / 2
  const judged = (outcome: Preferred) => drawn.filter((each) => each.judged === outcome).length
  if (kind === 'raw') {
    const raw = winRate({ wins: judged('candidate'), ties: judged('tie'), losses: judged('baseline') })
    return raw !== null && (raw.interval.low > truth || raw.interval.high < truth)
  }
  const samples = samplesWith(drawn.map((each) => [pairs[each.judged]]))
  // The first ones of each outcome in the order of the draw are a random part of them.
  const graded = outcomes.flatMap((outcome, index) =>
    drawn
      .flatMap(({ human, judged: own }, place) => (own === outcome ? [{ human, place }] : []))
      .slice(0, grades[index]),
  )
  const preferences = graded.map(({ human, place }) => ({
    place: samples[place]?.id ?? '',
    candidateIndex: 1,
    preferred: human,
    grader: 'anna',
  }))
  const interval = calibrateJudge(samples, preferences, 0).corrected_win_rate_ci
  return interval !== null && (interval[0] > truth || interval[1] < truth)
}

const good = { candidate: [0.9, 0.07, 0.03], tie: [0.1, 0.8, 0.1], baseline: [0.03, 0.07, 0.9] } as const
/** A judge that likes the candidate's style. */
const fooled = { candidate: [0.95, 0.04, 0.01], tie: [0.5, 0.45, 0.05], baseline: [0.35, 0.15, 0.5] } as const

const worlds: Readonly<Record<string, World>> = {
  'a good judge, 20 preferences of each outcome': {
    wins: 0.4,
    ties: 0.3,
    judge: good,
    samples: 200,
    grades: [20, 20, 20],
  },
  'a fooled judge, 20 of each outcome': { wins: 0.3, ties: 0.3, judge: fooled, samples: 200, grades: [20, 20, 20] },
  'a fooled judge, mostly losses graded': { wins: 0.3, ties: 0.3, judge: fooled, samples: 300, grades: [10, 10, 60] },
  'a good judge, 10 of each outcome': { wins: 0.45, ties: 0.1, judge: good, samples: 100, grades: [10, 10, 10] },
  'a fooled judge, 100 of each outcome of 500': {
    wins: 0.3,
    ties: 0.3,
    judge: fooled,
    samples: 500,
    grades: [100, 100, 100],
  },
}

const rates = (kind: 'corrected' | 'raw', promised: Partial<SimulatedWorld>): readonly SimulatedWorld[] =>
  Object.entries(worlds)
    .filter(([title]) => kind === 'corrected' || title.includes('fooled'))
    .map(([title, world]) => ({
      title,
      ...promised,
      runs: 150,
      fullRuns: 10_000,
      happens: (random) => misses(random, world, kind),
    }))

describeRates('the corrected 95 % interval misses the win rate of people', rates('corrected', { atMost: 0.06 }))
// What the correction is for: these intervals miss nearly always.
describeRates('the raw 95 % interval misses the win rate of people', rates('raw', { atLeast: 0.9 }))
