import type { Verdict } from '@ratchet/contracts/criteria'
import type { GradingForecast } from '@ratchet/contracts/scans'
import { chooseCandidates, openStrata, reachedWith } from '../labels/choose-candidates.ts'
import { type FrameItem, type GradingStrategy, stratumOf, wholeStratum } from '../labels/grading-frame.ts'
import { openClassesOf, planGrading } from '../labels/plan-grading.ts'
import type { JudgeMeasures } from './calibration-result.ts'
import type { GradedItem, GradeSampling } from './graded-items.ts'
import { measureJudge } from './measure-judge.ts'
import { rightToAct } from './right-to-act.ts'
import { weighItems } from './weigh-items.ts'

/** A judge with known rates, and how people grade for it. */
export interface TrustWorld {
  readonly tpr: number
  readonly tnr: number
  /** Share of human fails, 0..1. */
  readonly failRate: number
  readonly strategy: GradingStrategy
  /** Number of grades after which the judge is calibrated, in ascending order. */
  readonly looks: readonly number[]
}

interface TrafficItem extends FrameItem {
  readonly truth: Verdict
  readonly verdict: Verdict
}

const frameRows = 2_000
/** Share of exchanges on which two verdicts of the judge differ. */
const disputedShare = { right: 0.02, wrong: 0.3 }

function trafficOf({ tpr, tnr, failRate, strategy }: TrustWorld, random: () => number): TrafficItem[] {
  return Array.from({ length: frameRows }, (_, index) => {
    const truth = random() < failRate ? 'fail' : 'pass'
    const isRight = random() < (truth === 'fail' ? tpr : tnr)
    const verdict = isRight ? truth : other(truth)
    const isDisputed = random() < (isRight ? disputedShare.right : disputedShare.wrong)
    const stratum = strategy === 'random' ? wholeStratum : stratumOf({ verdict, isDisputed })
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

function other(verdict: Verdict): Verdict {
  return verdict === 'fail' ? 'pass' : 'fail'
}

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
  return {
    /** Grades so many more, and calibrates. */
    look(grades: number): Look {
      const strata = openStrata(items, rank)
      const openClasses = openClassesOf(measures)
      const chosen = chooseCandidates(strata, world.strategy, { limit: grades, rank, openClasses })
      graded += grades
      const reached = new Set(reachedWith(strata, chosen))
      const offered = new Set(chosen.map(({ logId }) => logId))
      items = items.map((item) =>
        offered.has(item.logId)
          ? { ...item, isOffered: true, isGraded: true, human: item.truth }
          : { ...item, isOffered: item.isOffered || reached.has(item.logId) },
      )
      measures = measure(items, `${seed} ${graded}`)
      return { measures, canAct: rightToAct(measures).reason === null }
    },
    plan(): GradingForecast {
      const { strategy } = world
      return planGrading({
        frameId: 'f',
        strata: openStrata(items, rank),
        strategy,
        measures,
        seed: `${seed} ${graded}`,
      })
    },
  }
}

/** The calibrations of one run. */
export function* looksAt(world: TrustWorld, random: () => number, seed: string): Generator<Look> {
  const grading = startGrading(world, random, seed)
  let graded = 0
  for (const look of world.looks) {
    yield grading.look(look - graded)
    graded = look
  }
}

function measure(items: readonly TrafficItem[], seed: string): JudgeMeasures {
  const rows = Map.groupBy(items, ({ stratum }) => stratum)
  const known = items.filter(({ isGraded }) => isGraded)
  const graded = known.map((item): GradedItem => {
    const { stratum } = item
    const sampling: GradeSampling =
      stratum === wholeStratum
        ? { kind: 'random' }
        : { kind: 'frame', frameId: 'f', stratum, rows: rows.get(stratum)?.length ?? 0, strata: rows.size }
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
  const weighed = weighItems(graded, graded).map((item, index) => ({
    ...item,
    verdict: known[index]?.verdict ?? 'pass',
  }))
  return measureJudge(
    weighed.filter(({ stratum }) => stratum !== 'picked'),
    seed,
  )
}
