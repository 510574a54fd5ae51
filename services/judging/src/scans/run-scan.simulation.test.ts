import type { Verdict } from '@ratchet/contracts/criteria'
import { describeRates } from '@ratchet/testing/describe-rates'
import { knownAccuracy } from '../calibration/judge-accuracy.ts'
import { measureJudge } from '../calibration/measure-judge.ts'
import { doneJudgement } from '../judgements/done-judgement.fixture.ts'
import { summarizeScan } from './scan-result.ts'

/** A run of a population in which long runs fail more often, and a judge sees less of their failures. */
interface Run {
  readonly traceId: string
  readonly steps: number
  readonly truth: Verdict
}

type Random = () => number

/** How many runs are drawn, and how likely each is in proportion to its steps: 0 for equally likely. */
interface Draw {
  readonly count: number
  readonly byLength: 0 | 1
}

const populationSize = 4_000

function createPopulation(random: Random): readonly Run[] {
  return Array.from({ length: populationSize }, (_, index) => {
    const steps = 1 + Math.floor(random() ** 3 * 30)
    return { traceId: `run-${index}`, steps, truth: random() < 0.1 + 0.02 * steps ? 'fail' : 'pass' }
  })
}

/** The order of the log: a random key for each run, without replacement. */
function draw(population: readonly Run[], { count, byLength }: Draw, random: Random): readonly Run[] {
  const keyed = population.map((run) => ({ run, key: -Math.log(random()) / (byLength === 1 ? run.steps : 1) }))
  return keyed
    .sort((one, other) => one.key - other.key)
    .slice(0, count)
    .map(({ run }) => run)
}

function judge({ truth, steps }: Run, random: Random): Verdict {
  const isRight = random() < (truth === 'pass' ? 0.96 : 0.95 - 0.01 * Math.min(steps, 15))
  if (isRight) return truth
  return truth === 'fail' ? 'pass' : 'fail'
}

/** A judge that is calibrated on graded runs scans others. Returns what the scan reports and the truth. */
function scan(random: Random, { graded, scanned }: { readonly graded: Draw; readonly scanned: Draw }) {
  const population = createPopulation(random)
  const rows = draw(population, graded, random).map((run) => ({
    human: run.truth,
    verdict: judge(run, random),
    samplingProbability: 1,
  }))
  const judgements = draw(population, scanned, random).map((run, index) =>
    doneJudgement(index, {
      item: { kind: 'run', traceId: run.traceId, stepIds: [] },
      verdict: judge(run, random),
    }),
  )
  const accuracy = knownAccuracy(measureJudge(rows))
  const result = summarizeScan(judgements, {
    matched: populationSize,
    randomGrades: new Map(),
    unanswered: new Set(),
    accuracy,
  })
  const passRate = population.filter(({ truth }) => truth === 'pass').length / populationSize
  return { interval: result.correctedCi, passRate }
}

function misses(random: Random, draws: Parameters<typeof scan>[1]): boolean {
  const { interval, passRate } = scan(random, draws)
  return interval === null || passRate < interval[0] || passRate > interval[1]
}

const drawn = (count: number): Draw => ({ count, byLength: 0 })

describeRates('the 95 % interval for the pass rate of runs', [
  {
    title: 'misses the truth in at most one of twenty scans of 200 runs, with 200 graded runs',
    atMost: 0.055,
    runs: 100,
    fullRuns: 4_000,
    happens: (random) => misses(random, { graded: drawn(200), scanned: drawn(200) }),
  },
  {
    title: 'misses the truth in at most one of twenty scans of 1,000 runs, with 400 graded runs',
    atMost: 0.055,
    runs: 60,
    fullRuns: 4_000,
    happens: (random) => misses(random, { graded: drawn(400), scanned: drawn(1_000) }),
  },
  {
    title: 'would miss it far more often if long runs were drawn more often, as by a sample of exchanges',
    atLeast: 0.5,
    runs: 30,
    fullRuns: 1_000,
    happens: (random) => misses(random, { graded: drawn(400), scanned: { count: 1_000, byLength: 1 } }),
  },
])
