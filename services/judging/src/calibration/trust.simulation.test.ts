import { describeRates, type SimulatedWorld } from '@ratchet/testing/describe-rates'
import type { GradingStrategy } from '../labels/grading-frame.ts'
import { looksAt, startGrading, type TrustWorld } from './trust-world.fixture.ts'

const strategies: readonly GradingStrategy[] = ['random', 'balanced', 'disagreement', 'plan']
const atTheBar = [0.9, 0.88].flatMap((tpr) => strategies.map((strategy) => ({ tpr, strategy })))
const everyTen = Array.from({ length: 40 }, (_, index) => (index + 1) * 10)

/**
 * `npm test` runs each rule where a defect of it shows in few runs: the allocations share one estimate, and 0.88 is easier than
 * 0.9. The other worlds run only at full length.
 */
const shortRuns: Readonly<Record<GradingStrategy, number>> = { random: 60, balanced: 60, disagreement: 20, plan: 20 }

function world(world: TrustWorld, more: Omit<SimulatedWorld, 'happens'>, sees: 'trust' | 'act'): SimulatedWorld {
  return {
    ...more,
    happens(random, run) {
      for (const { measures, canAct } of looksAt(world, random, { seed: String(run), sees: 'proof' })) {
        if (sees === 'act' ? canAct : measures.trust === 'trustworthy') return true
      }
      return false
    },
  }
}

describeRates('trust at one calibration after 400 grades', [
  ...atTheBar.map(({ tpr, strategy }) =>
    world(
      { tpr, tnr: 0.99, failRate: 0.12, strategy, looks: [400] },
      {
        title: `${strategy}: TPR ${tpr}, 12 % fails`,
        atMost: 0.03,
        runs: tpr === 0.9 ? shortRuns[strategy] : 0,
        // Its rate is so near the promise that fewer runs do not tell on which side it is.
        fullRuns: strategy === 'disagreement' && tpr === 0.9 ? 8_000 : 1_000,
      },
      'trust',
    ),
  ),
  ...(['balanced', 'disagreement'] as const).map((strategy) =>
    world(
      { tpr: 0.9, tnr: 0.99, failRate: 0.12, strategy, hasFeedback: true, looks: [400] },
      {
        title: `${strategy}: TPR 0.9, 12 % fails, users send feedback`,
        atMost: 0.03,
        runs: strategy === 'disagreement' ? 10 : 0,
        fullRuns: strategy === 'disagreement' ? 8_000 : 1_000,
      },
      'trust',
    ),
  ),
  world(
    { tpr: 0.9, tnr: 0.99, failRate: 0.3, strategy: 'random', looks: [400] },
    { title: 'random: TPR 0.9, 30 % fails', atMost: 0.03, runs: 60, fullRuns: 4_000 },
    'trust',
  ),
])

/** Both calibrations that a promise is about. */
const acting = [
  { procedure: 'the right to act at one calibration after 400 grades', looks: [400], runs: shortRuns },
  {
    procedure: 'the right to act, at a calibration after every ten of 400 grades',
    looks: everyTen,
    runs: { random: 20, balanced: 0, disagreement: 0, plan: 0 },
  },
]

for (const { procedure, looks, runs: shortest } of acting) {
  const cell = (of: Pick<TrustWorld, 'tpr' | 'strategy' | 'hasFeedback'>, runs: number, fullRuns: number) => {
    const title = `${of.strategy}: TPR ${of.tpr}, 30 % fails${of.hasFeedback ? ', users send feedback' : ''}`
    return world({ ...of, tnr: 0.99, failRate: 0.3, looks }, { title, atMost: 0.03, runs, fullRuns }, 'act')
  }
  describeRates(procedure, [
    ...atTheBar.map((of) =>
      cell(of, of.tpr === 0.9 ? shortest[of.strategy] : 0, of.strategy === 'random' ? 4_000 : 1_000),
    ),
    ...(['balanced', 'disagreement'] as const).flatMap((strategy) =>
      [0.9, 0.88].map((tpr) => cell({ tpr, strategy, hasFeedback: true }, 0, 1_000)),
    ),
  ])
}

describeRates('trust at any calibration after every ten of 400 grades, which gates may not act on', [
  world(
    { tpr: 0.9, tnr: 0.99, failRate: 0.3, strategy: 'random', looks: everyTen },
    { title: 'random: TPR 0.9, 30 % fails', atMost: 0.15, runs: 10, fullRuns: 2_000 },
    'trust',
  ),
])

describeRates('a good judge, TPR and TNR 0.97, after 600 grades', [
  ...strategies.flatMap((strategy) =>
    (['trust', 'act'] as const).map((sees) =>
      world(
        { tpr: 0.97, tnr: 0.97, failRate: 0.3, strategy, looks: [600] },
        {
          title: `${strategy}: ${sees === 'trust' ? 'is trustworthy' : 'may act'}`,
          atLeast: sees === 'trust' ? 0.5 : 0.3,
          runs: strategy === 'random' ? 40 : strategy === 'balanced' && sees === 'act' ? 20 : 0,
          fullRuns: strategy === 'random' ? 2_000 : 600,
        },
        sees,
      ),
    ),
  ),
])

interface Planned {
  readonly strategy: GradingStrategy
  /** The true rates of judges are uniform from here to 1. */
  readonly lowest: number
}

/** Whether the judge may act after as many grades as the plan says; judges for which it has no number are skipped. */
function keepsForecast({ strategy, lowest }: Planned, random: () => number, run: number): boolean {
  const rateOf = () => lowest + (1 - lowest) * random()
  for (let judge = 0; ; judge += 1) {
    const rates = { tpr: rateOf(), tnr: rateOf() }
    const grading = startGrading({ ...rates, failRate: 0.3, strategy, looks: [] }, random, `${run} ${judge}`)
    grading.look(150)
    const { grades_needed: grades } = grading.plan()
    if (grades !== null && grades > 0) return grading.look(grades).canAct
  }
}

/** Worse judges have a number only after lucky grades, so it takes many judges until one has a plan. */
function planned(more: Planned, runs: Pick<SimulatedWorld, 'runs' | 'fullRuns'>): SimulatedWorld {
  const title = `${more.strategy}: may act after the planned grades, rates from ${more.lowest} to 1`
  const happens: SimulatedWorld['happens'] = (random, run) => keepsForecast(more, random, run)
  return { title, atLeast: 0.8, atMost: 0.97, ...runs, happens }
}

/* A run takes so long that only full length shows a rate, with a standard error of at most three points. */
describeRates('a plan with chance 0.8, after 150 grades', [
  planned({ strategy: 'random', lowest: 0.95 }, { runs: 0, fullRuns: 200 }),
  planned({ strategy: 'balanced', lowest: 0.95 }, { runs: 0, fullRuns: 100 }),
  planned({ strategy: 'plan', lowest: 0.95 }, { runs: 0, fullRuns: 100 }),
  planned({ strategy: 'random', lowest: 0.9 }, { runs: 0, fullRuns: 400 }),
  planned({ strategy: 'plan', lowest: 0.9 }, { runs: 0, fullRuns: 150 }),
])

const picking: TrustWorld = { tpr: 0.85, tnr: 0.99, failRate: 0.3, strategy: 'random', looks: everyTen }
/** The defect that they find makes nearly every judge act, so few runs show it. */
const shortSkips: Readonly<Record<GradingStrategy, number>> = { random: 4, balanced: 5, disagreement: 0, plan: 5 }
const allErrors = { errors: 1, isCounted: true } as const

describeRates('the right to act, when a person leaves out errors of the judge among the items that were offered', [
  ...strategies.map((strategy) =>
    world(
      { ...picking, strategy, skips: allErrors, looks: strategy === 'random' ? everyTen : [100, 200, 300, 400] },
      {
        title: `${strategy}: TPR 0.85, 30 % fails, all errors`,
        atMost: 0.03,
        runs: shortSkips[strategy],
        fullRuns: 600,
      },
      'act',
    ),
  ),
  world(
    { ...picking, skips: { errors: 0.5, isCounted: true } },
    { title: 'random: TPR 0.85, 30 % fails, half of the errors', atMost: 0.03, runs: 0, fullRuns: 600 },
    'act',
  ),
  world(
    { ...picking, failRate: 0.12, skips: allErrors },
    { title: 'random: TPR 0.85, 12 % fails, all errors', atMost: 0.03, runs: 0, fullRuns: 600 },
    'act',
  ),
  world(
    { ...picking, tpr: 0.99, tnr: 0.85, skips: allErrors },
    { title: 'random: TNR 0.85, 30 % fails, all errors', atMost: 0.03, runs: 4, fullRuns: 600 },
    'act',
  ),
  world(
    { ...picking, skips: { errors: 1, isCounted: false } },
    {
      title: 'random: TPR 0.85, 30 % fails, all errors, if unanswered items did not count',
      atLeast: 0.9,
      runs: 5,
      fullRuns: 200,
    },
    'act',
  ),
])

describeRates('the interval of TPR', [
  ...strategies.flatMap((strategy) =>
    [0.9, 0.8].map(
      (tpr): SimulatedWorld => ({
        title: `${strategy}: holds ${tpr} after 400 grades, 10 % fails`,
        atLeast: 0.93,
        runs: strategy === 'random' ? 100 : strategy === 'balanced' && tpr === 0.8 ? 60 : 0,
        fullRuns: strategy === 'random' ? 10_000 : 2_000,
        happens(random, run) {
          const looks = looksAt({ tpr, tnr: 0.99, failRate: 0.1, strategy, looks: [400] }, random, {
            seed: String(run),
          })
          const [low, high] = [...looks][0]?.measures.tprCi ?? [0, 1]
          return low <= tpr && tpr <= high
        },
      }),
    ),
  ),
])
