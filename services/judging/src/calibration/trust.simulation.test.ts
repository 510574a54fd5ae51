import { describeRates, type SimulatedWorld } from '@ratchet/testing/describe-rates'
import type { GradingStrategy } from '../labels/grading-frame.ts'
import { looksAt, startGrading, type TrustWorld } from './trust-world.fixture.ts'

const strategies: readonly GradingStrategy[] = ['random', 'balanced', 'disagreement', 'plan']
const atTheBar = [0.9, 0.88].flatMap((tpr) => strategies.map((strategy) => ({ tpr, strategy })))
/** A stratified estimate takes longer, and 0.88 is the easier case. */
const evaluatedOften = atTheBar.filter(({ tpr, strategy }) => tpr === 0.9 || strategy === 'random')
const everyTen = Array.from({ length: 40 }, (_, index) => (index + 1) * 10)

function world(world: TrustWorld, more: Omit<SimulatedWorld, 'happens'>, sees: 'trust' | 'act'): SimulatedWorld {
  return {
    ...more,
    happens(random, run) {
      for (const { measures, canAct } of looksAt(world, random, String(run))) {
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
        runs: strategy === 'random' ? 40 : 6,
        fullRuns: 1_000,
      },
      'trust',
    ),
  ),
  world(
    { tpr: 0.9, tnr: 0.99, failRate: 0.3, strategy: 'random', looks: [400] },
    { title: 'random: TPR 0.9, 30 % fails', atMost: 0.03, runs: 40, fullRuns: 4_000 },
    'trust',
  ),
])

describeRates('the right to act, at a calibration after every ten of 400 grades', [
  ...evaluatedOften.map(({ tpr, strategy }) =>
    world(
      { tpr, tnr: 0.99, failRate: 0.3, strategy, looks: everyTen },
      {
        title: `${strategy}: TPR ${tpr}, 30 % fails`,
        atMost: 0.03,
        runs: strategy === 'random' ? 10 : 1,
        fullRuns: strategy === 'random' ? 2_000 : 200,
      },
      'act',
    ),
  ),
])

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
          runs: strategy === 'random' ? 20 : 6,
          fullRuns: 500,
        },
        sees,
      ),
    ),
  ),
])

/** Rates of judges for which a plan often has a number. */
const usualRate = (random: () => number) => 0.95 + 0.05 * random()

/** Whether the judge may act after as many grades as the plan says; judges for which it has no number are skipped. */
function keepsForecast(strategy: GradingStrategy, random: () => number, run: number): boolean {
  for (let judge = 0; ; judge += 1) {
    const rates = { tpr: usualRate(random), tnr: usualRate(random) }
    const grading = startGrading({ ...rates, failRate: 0.3, strategy, looks: [] }, random, `${run} ${judge}`)
    grading.look(150)
    const { grades_needed: grades } = grading.plan()
    if (grades !== null && grades > 0) return grading.look(grades).canAct
  }
}

describeRates('a plan with chance 0.8, after 150 grades of a judge with rates from 0.95 to 1', [
  ...(['random', 'balanced', 'plan'] as const).map(
    (strategy): SimulatedWorld => ({
      title: `${strategy}: may act after the planned grades`,
      atLeast: 0.65,
      atMost: 0.95,
      runs: 3,
      fullRuns: 200,
      happens: (random, run) => keepsForecast(strategy, random, run),
    }),
  ),
])

describeRates('the interval of TPR', [
  ...strategies.flatMap((strategy) =>
    [0.9, 0.8].map(
      (tpr): SimulatedWorld => ({
        title: `${strategy}: holds ${tpr} after 400 grades, 10 % fails`,
        atLeast: 0.93,
        runs: strategy === 'random' ? 30 : 6,
        fullRuns: 1_000,
        happens(random, run) {
          const looks = looksAt({ tpr, tnr: 0.99, failRate: 0.1, strategy, looks: [400] }, random, String(run))
          const [low, high] = [...looks][0]?.measures.tprCi ?? [0, 1]
          return low <= tpr && tpr <= high
        },
      }),
    ),
  ),
])
