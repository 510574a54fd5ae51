import { randomFromSeed } from '@ratchet/stats/random-from-seed'
import { describeRates, type SimulatedWorld } from '@ratchet/testing/describe-rates'
import { type Look, looksAt, startGrading, type TrustWorld } from '../calibration/trust-world.fixture.ts'

type Round = NonNullable<TrustWorld['round']>

const everyTen = Array.from({ length: 40 }, (_, index) => (index + 1) * 10)
const rounds: readonly Round[] = ['challenger', 'risk', 'fooled']

function roundWorld(round: Round, world: Pick<TrustWorld, 'tpr' | 'failRate' | 'looks'>): TrustWorld {
  return { tnr: 0.98, strategy: 'plan', round, ...world }
}

/** Whether the TPR of the judge is proven, the judge is trusted, or may act, at one of its calibrations. */
function happens(world: TrustWorld, sees: 'tpr' | 'trust' | 'act'): SimulatedWorld['happens'] {
  const isSeen: Readonly<Record<typeof sees, (look: Look) => boolean>> = {
    tpr: ({ measures: { tprCi } }) => tprCi !== null && tprCi[0] >= 0.9,
    trust: ({ measures: { trust } }) => trust === 'trustworthy',
    act: ({ canAct }) => canAct,
  }
  return (random, run) => {
    for (const look of looksAt(world, random, { seed: String(run), sees: sees === 'tpr' ? 'all' : 'proof' }))
      if (isSeen[sees](look)) return true
    return false
  }
}

const atTheBar = [0.9, 0.88].flatMap((tpr) => rounds.map((round) => ({ tpr, round })))

describeRates('rounds: trust at one calibration after 400 grades', [
  ...atTheBar.flatMap(({ tpr, round }) =>
    [0.12, 0.3].map((failRate) => ({
      title: `${round}: TPR ${tpr}, ${failRate * 100} % fails`,
      atMost: 0.03,
      runs: 3,
      fullRuns: 1_000,
      happens: happens(roundWorld(round, { tpr, failRate, looks: [400] }), 'trust'),
    })),
  ),
])

for (const { procedure, looks } of [
  { procedure: 'rounds: the right to act at one calibration after 400 grades', looks: [400] },
  { procedure: 'rounds: the right to act, at a calibration after every ten of 400 grades', looks: everyTen },
]) {
  describeRates(
    procedure,
    atTheBar.map(({ tpr, round }) => ({
      title: `${round}: TPR ${tpr}, 30 % fails`,
      atMost: 0.03,
      runs: 1,
      fullRuns: 1_000,
      happens: happens(roundWorld(round, { tpr, failRate: 0.3, looks }), 'act'),
    })),
  )
}

/** The shares that were measured before this was built: 4,000 exchanges, TNR 0.98. */
const reached: readonly (readonly [failRate: number, grades: number, round: Round, atLeast: number])[] = [
  [0.12, 400, 'challenger', 0.3],
  [0.12, 600, 'challenger', 0.75],
  [0.12, 600, 'risk', 0.6],
  [0.2, 300, 'challenger', 0.65],
  [0.2, 400, 'challenger', 0.85],
  [0.3, 200, 'challenger', 0.75],
  [0.3, 300, 'challenger', 0.88],
]

describeRates('rounds: the TPR of a good judge, 0.97, is proven', [
  ...reached.map(([failRate, grades, round, atLeast]) => ({
    title: `${round}: after ${grades} grades, ${failRate * 100} % fails`,
    atLeast,
    runs: 6,
    fullRuns: 600,
    happens: happens({ ...roundWorld(round, { tpr: 0.97, failRate, looks: [grades] }), rows: 4_000 }, 'tpr'),
  })),
])

/** A round of a judge that may be good enough. */
function someRound(random: () => number) {
  const rates = { tpr: 0.95 + 0.045 * random(), failRate: 0.12 + 0.2 * random() }
  const seed = String(random())
  return () => startGrading(roundWorld('challenger', { ...rates, looks: [] }), randomFromSeed(seed), seed)
}

interface Forecasted {
  /** Grades after which the judge was trusted. */
  readonly proven: number
  /** Grades after which the page of the round forecast this. */
  readonly grades: number
  readonly expected: number | null
}

const maxGrades = 800

/** A round that is graded until the judge is trusted, with the forecast at a part of the way. */
function forecastAt(part: number, random: () => number): Forecasted {
  for (;;) {
    const start = someRound(random)
    const proven = gradesUntilTrusted(start())
    if (proven === null || proven < 60) continue
    const grades = Math.round((part * proven) / 10) * 10
    const again = start()
    again.look(grades)
    return { proven, grades, expected: again.forecast().expected }
  }
}

function gradesUntilTrusted(grading: ReturnType<typeof startGrading>): number | null {
  for (let grades = 10; grades <= maxGrades; grades += 10) {
    if (grading.look(10, 'proof').measures.trust === 'trustworthy') return grades
  }
  return null
}

/** Relative to all grades that the proof took. */
function errorOf({ proven, grades, expected }: Forecasted): number {
  return expected === null ? Number.POSITIVE_INFINITY : Math.abs(grades + expected - proven) / proven
}

describeRates('rounds: the forecast of grades until a judge is trusted', [
  {
    title: 'grades with a chance of 0.8, after 200: are enough',
    atLeast: 0.65,
    atMost: 0.95,
    runs: 2,
    fullRuns: 300,
    happens: isEnough,
  },
  {
    title: 'the number of grades, at a third of the way: wrong by at most 40 %, in half of the rounds',
    atLeast: 0.5,
    runs: 1,
    fullRuns: 300,
    happens: (random) => errorOf(forecastAt(1 / 3, random)) <= 0.4,
  },
  {
    title: 'the number of grades, at two thirds of the way: wrong by at most 20 %, in half of the rounds',
    atLeast: 0.5,
    runs: 1,
    fullRuns: 300,
    happens: (random) => errorOf(forecastAt(2 / 3, random)) <= 0.2,
  },
])

/** Whether as many grades as the page says after 200 are enough; rounds for which it has no number are skipped. */
function isEnough(random: () => number): boolean {
  for (;;) {
    const grading = someRound(random)()
    grading.look(200)
    const { likely } = grading.forecast()
    if (likely !== null && likely > 0) return grading.look(likely).measures.trust === 'trustworthy'
  }
}
