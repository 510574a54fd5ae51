import type { Verdict } from '@ratchet/contracts/criteria'
import type { GradedItem, GradeSampling } from '../calibration/graded-items.ts'
import { weighItems } from '../calibration/weigh-items.ts'
import type { CascadeRow, ThresholdRequest } from './choose-thresholds.ts'
import { countVotes, decideItem, type Thresholds, type Votes } from './decide-item.ts'

type Random = () => number

/** With which probability each verdict of a judge on one item is right; drawn for every item. */
export type Rightness = (random: Random) => number

/** A judge that is surer of what it gets right. */
export const informative: Rightness = (random) => (random() < 0.75 ? 0.99 : 0.6)
/** A judge whose verdicts on one item are always equal, so they say nothing about which are wrong. */
export const uninformative = (rate: number): Rightness => {
  return (random) => (random() < rate ? 1 : 0)
}
/** A judge that hesitates where it is right, and is sure where it is wrong. */
export const misleading: Rightness = (random) => (random() < 0.85 ? 0.8 : 0)

export interface CascadeWorld {
  readonly judges: readonly Rightness[]
  readonly verdictCounts: readonly number[]
  readonly failRate: number
  readonly grades: number
  /** `balanced`: half of the grades where an earlier verdict of the last judge was FAIL, which is rarer. */
  readonly draw: 'random' | 'balanced'
}

interface Item {
  readonly human: Verdict
  readonly votes: readonly Votes[]
  readonly stratum: string
}

const frameRows = 2_000

function drawItem({ judges, verdictCounts, failRate }: CascadeWorld, random: Random): Item {
  const human = random() < failRate ? 'fail' : 'pass'
  const verdictOf = (right: number) => (random() < right ? human : opposite(human))
  const rights = judges.map((rightness) => rightness(random))
  const votes = rights.map((right, judge) => countVotes(verdictsOf(verdictCounts[judge] ?? 1, () => verdictOf(right))))
  return { human, votes, stratum: `judged_${verdictOf(rights.at(-1) ?? 1)}` }
}

function verdictsOf(count: number, draw: () => Verdict): Verdict[] {
  const verdicts: Verdict[] = []
  while (verdicts.length < count) verdicts.push(draw())
  return verdicts
}

function opposite(verdict: Verdict): Verdict {
  return verdict === 'fail' ? 'pass' : 'fail'
}

/** Draws and grades items of a new frame, and weighs them as a calibration does. */
export function gradeRows(world: CascadeWorld, random: Random): readonly CascadeRow[] {
  // Without strata the rest of the frame changes nothing.
  const length = world.draw === 'random' ? world.grades : frameRows
  const frame = Array.from({ length }, () => drawItem(world, random))
  const strata = Map.groupBy(frame, ({ stratum }) => stratum)
  const drawn =
    world.draw === 'random'
      ? frame.slice(0, world.grades)
      : [...strata.values()].flatMap((items) => items.slice(0, world.grades / strata.size))
  const graded = drawn.map(({ human, stratum }, index): GradedItem => {
    const sampling: GradeSampling =
      world.draw === 'random'
        ? { kind: 'random', frameId: 'f' }
        : { kind: 'frame', frameId: 'f', stratum, rows: strata.get(stratum)?.length ?? 0, strata: strata.size }
    const id = String(index)
    return { itemKey: id, human, labelId: id, snapshotId: id, sampling, segment: '', tag: null, gradedAt: new Date(0) }
  })
  return weighItems(graded).map((item, index) => ({
    human: item.human,
    votes: drawn[index]?.votes ?? [],
    samplingProbability: item.samplingProbability,
    stratum: item.stratum,
  }))
}

export const promise: Pick<ThresholdRequest, 'agreement' | 'errorProbability'> = {
  agreement: 0.9,
  errorProbability: 0.05,
}

/** Reads the true agreement of thresholds from a large part of the traffic, once for each. */
export function createTruth(world: CascadeWorld, random: Random): (thresholds: Thresholds) => number {
  let traffic: readonly Item[] | null = null
  const known = new Map<string, number>()
  return (thresholds) => {
    const key = JSON.stringify(thresholds)
    traffic ??= Array.from({ length: 40_000 }, () => drawItem(world, random))
    const found = known.get(key) ?? agreementIn(traffic, thresholds)
    known.set(key, found)
    return found
  }
}

export function agreementIn(items: readonly Pick<CascadeRow, 'human' | 'votes'>[], thresholds: Thresholds): number {
  const decided = items.flatMap(({ human, votes }) => {
    const decision = decideItem(votes, thresholds)
    return decision === null ? [] : [decision.verdict === human]
  })
  return decided.length === 0 ? 1 : decided.filter((agrees) => agrees).length / decided.length
}
