import type { Verdict } from '@ratchet/contracts/criteria'
import { forecastRound, openClassesOfRound, type RoundForecast } from '@ratchet/stats/forecast-round'
import { lastOf } from '@ratchet/stats/last-of'
import { randomFromSeed } from '@ratchet/stats/random-from-seed'
import { chooseCandidates, openStrata, plannedStratum, reachedWith } from '../labels/choose-candidates.ts'
import { type FrameItem, type GradingStrategy, stratumOf, wholeStratum } from '../labels/grading-frame.ts'
import { type GradesForecast, openClassesOf, planGrading } from '../labels/plan-grading.ts'
import { unansweredItems } from '../labels/unanswered-items.ts'
import { roundStratum } from '../review/round-strata.ts'
import type { JudgeMeasures } from './calibration-result.ts'
import type { GradedItem, GradeSampling, UnansweredItem } from './graded-items.ts'
import { measureJudge } from './measure-judge.ts'
import { measureProof } from './measure-proof.fixture.ts'
import { type MeasuredRow, unansweredRow } from './measured-row.ts'
import { rightToAct } from './right-to-act.ts'
import { weighItems } from './weigh-items.ts'

/** A judge with known rates, and how people grade for it. */
export interface TrustWorld {
  readonly tpr: number
  readonly tnr: number
  /** Share of human fails, 0..1. */
  readonly failRate: number
  readonly strategy: GradingStrategy
  /**
   * How the strata of a round are formed, which goes with the strategy `plan`: by a challenger with errors of its own, by one
   * that passes all that the judge misses too, or by what tells little about errors.
   */
  readonly round?: 'challenger' | 'fooled' | 'risk'
  /** Whether users send feedback, more often about bad answers. */
  readonly hasFeedback?: boolean
  /** Exchanges of the frame; when absent 2,000, or what the looks of a random draw can reach. */
  readonly rows?: number
  /**
   * Of a person who leaves out what does not flatter the judge: that share of its errors gets no grade. The person requests as
   * many items as it takes. `isCounted` is false for the rates without the rule about unanswered items.
   */
  readonly skips?: { readonly errors: number; readonly isCounted: boolean }
  /** Number of grades after which the judge is calibrated, in ascending order. */
  readonly looks: readonly number[]
}

interface TrafficItem extends FrameItem {
  readonly truth: Verdict
  readonly verdict: Verdict
}

/** A random draw has no strata to weigh, so exchanges beyond the grades, and what is left out before them, change nothing. */
function rowsOf({ strategy, looks }: TrustWorld): number {
  const graded = looks.at(-1)
  return strategy === 'random' && graded !== undefined ? Math.min(2_000, Math.ceil(graded * 1.5)) : 2_000
}

/** TPR and TNR of a challenger. */
const challengerRate = 0.9

/** Share of exchanges on which two verdicts of the judge differ. */
const disputedShare = { right: 0.02, wrong: 0.3 }

function trafficOf(world: TrustWorld, random: () => number): TrafficItem[] {
  const { tpr, tnr, failRate, strategy, round, hasFeedback = false, rows = rowsOf(world) } = world
  return Array.from({ length: rows }, (_, index) => {
    const truth: Verdict = random() < failRate ? 'fail' : 'pass'
    const isRight = random() < (truth === 'fail' ? tpr : tnr)
    const verdict = isRight ? truth : other(truth)
    const isDisputed = random() < (isRight ? disputedShare.right : disputedShare.wrong)
    const judged = { truth, verdict, isRight }
    const said = hasFeedback ? feedbackOn(truth, random()) : undefined
    const plain = strategy === 'random' ? wholeStratum : stratumOf({ verdict, isDisputed }, said)
    const stratum = round === undefined ? plain : stratumOfRound(round, judged, random)
    return {
      logId: String(index).padStart(5, '0'),
      stratum,
      isOffered: false,
      isGraded: false,
      human: null,
      truth,
      verdict,
    }
  })
}

/** Shares of answers that users find bad, and good. They often err. */
const feedbackShares = { fail: { down: 0.15, up: 0.02 }, pass: { down: 0.02, up: 0.08 } }

function feedbackOn(truth: Verdict, chance: number) {
  const { down, up } = feedbackShares[truth]
  if (chance < down) return { up: 0, down: 1 }
  return chance < down + up ? { up: 1, down: 0 } : undefined
}

interface JudgedTruth {
  readonly truth: Verdict
  readonly verdict: Verdict
  readonly isRight: boolean
}

function stratumOfRound(
  round: NonNullable<TrustWorld['round']>,
  { truth, verdict, isRight }: JudgedTruth,
  random: () => number,
) {
  const isChallengerRight = random() < challengerRate && (round !== 'fooled' || isRight || truth === 'pass')
  const challenger = isChallengerRight ? truth : other(truth)
  // Fails look riskier: the area under the curve of this sign is about 0.7.
  const place = random() ** (truth === 'fail' ? 0.4 : 1)
  return roundStratum({ verdict, challenger, risk: place < 1 / 3 ? 0 : place < 2 / 3 ? 1 : 2 }, round !== 'risk')
}

function other(verdict: Verdict): Verdict {
  return verdict === 'fail' ? 'pass' : 'fail'
}

const roundBatch = 10

export interface Look {
  readonly measures: JudgeMeasures
  readonly canAct: boolean
}

const rank = (logId: string) => logId

/** Grading of one run, by the functions that the service calls. Traffic is in a random order already. */
export function startGrading(world: TrustWorld, random: () => number, seed: string) {
  let items = trafficOf(world, random)
  let measures: JudgeMeasures | null = null
  let graded = 0
  const offerOnce = (grades: number) => {
    const strata = openStrata(items, rank)
    const planned = strata.map(plannedStratum)
    const openClasses = world.round === undefined ? openClassesOf(measures) : openClassesOfRound(planned)
    const chosen = chooseCandidates(strata, world.strategy, { limit: grades, rank, openClasses })
    const reached = new Set(reachedWith(strata, chosen))
    const offered = new Set(chosen.map(({ logId }) => logId))
    items = items.map((item) =>
      offered.has(item.logId) && !isLeftOut(world, item)
        ? { ...item, isOffered: true, isGraded: true, human: item.truth }
        : { ...item, isOffered: item.isOffered || reached.has(item.logId) },
    )
  }
  const countGraded = () => items.filter(({ isGraded }) => isGraded).length
  const grade = (grades: number) => {
    const target = countGraded() + grades
    for (let more = grades; more <= items.length && countGraded() < target; more += grades) {
      const missing = target - countGraded()
      offerOnce(world.skips === undefined ? missing : missing + countLeftOut(world, items))
    }
    graded = countGraded()
  }
  return {
    /** Grades so many more, those of a round ten at a time, and calibrates. `proof`: trust and the right to act are enough. */
    look(grades: number, sees: 'all' | 'proof' = 'all'): Look {
      const batch = world.round === undefined ? grades : roundBatch
      for (let left = grades; left > 0; left -= batch) grade(Math.min(left, batch))
      const rows = measuredRows(items, world.skips?.isCounted ?? true)
      const knowsOpen = world.strategy === 'plan' && world.round === undefined
      const own = `${seed} ${graded}`
      measures = sees === 'all' ? measureJudge(rows, own) : measureProof(rows, own, { knowsOpen })
      return { measures, canAct: rightToAct(measures).reason === null }
    },
    /** What the page of a round shows. */
    forecast(): RoundForecast {
      const strata = openStrata(items, rank).map(plannedStratum)
      return forecastRound(strata, { random: randomFromSeed(`${seed} ${graded}`) })
    },
    plan(): GradesForecast {
      const { strategy } = world
      return lastOf(
        planGrading({
          frameId: 'f',
          strata: openStrata(items, rank),
          strategy,
          measures,
          seed: `${seed} ${graded}`,
        }),
      )
    },
  }
}

/** The calibrations of one run. */
export function* looksAt(
  world: TrustWorld,
  random: () => number,
  { seed, sees = 'all' }: { readonly seed: string; readonly sees?: 'all' | 'proof' },
): Generator<Look> {
  const grading = startGrading(world, random, seed)
  let graded = 0
  for (const look of world.looks) {
    yield grading.look(look - graded, sees)
    graded = look
  }
}

/** The first digits of an id are as good as a coin. */
function isLeftOut({ skips }: TrustWorld, { logId, truth, verdict }: TrafficItem): boolean {
  return skips !== undefined && truth !== verdict && Number(logId) % 100 < 100 * skips.errors
}

function countLeftOut(world: TrustWorld, items: readonly TrafficItem[]): number {
  return items.filter((item) => item.isOffered && isLeftOut(world, item)).length
}

function measuredRows(items: readonly TrafficItem[], countsUnanswered: boolean): readonly MeasuredRow[] {
  const rows = Map.groupBy(items, ({ stratum }) => stratum)
  const known = items.filter(({ isGraded }) => isGraded)
  const samplingOf = ({ stratum }: TrafficItem): GradeSampling =>
    stratum === wholeStratum
      ? { kind: 'random', frameId: 'f' }
      : { kind: 'frame', frameId: 'f', stratum, rows: rows.get(stratum)?.length ?? 0, strata: rows.size }
  const graded = known.map((item): GradedItem => {
    const sampling = samplingOf(item)
    const { logId: itemKey, truth: human } = item
    return {
      itemKey,
      human,
      sampling,
      labelId: itemKey,
      snapshotId: itemKey,
      segment: 'none',
      tag: null,
      gradedAt: new Date(0),
    }
  })
  const places = items.filter(({ isOffered }) => isOffered).map((item) => ({ ...item, rank: rank(item.logId) }))
  const unanswered = countsUnanswered ? unansweredItems(places) : []
  const missing = unanswered.map((item): UnansweredItem => ({ itemKey: item.logId, sampling: samplingOf(item) }))
  const weighed = weighItems<GradedItem | UnansweredItem>([...graded, ...missing]).map((item, index) => {
    if (!('human' in item)) return unansweredRow(item)
    return { ...item, verdict: known[index]?.verdict ?? 'pass' }
  })
  return weighed.filter(({ stratum }) => stratum !== 'picked')
}
