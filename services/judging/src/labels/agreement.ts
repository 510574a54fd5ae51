import { sortInSteps } from '@ratchet/service-kit/timing/sort-in-steps'
import { cohenKappa } from '@ratchet/stats/cohen-kappa'
import { fleissKappa } from '@ratchet/stats/fleiss-kappa'
import { graderCeiling } from '@ratchet/stats/grader-ceiling'
import type { Interval } from '@ratchet/stats/interval'
import { type ItemOfSeveral, itemsOfSeveral } from './items-of-several.ts'
import type { CountedGrade } from './label-queries.ts'
import { majorityIn } from './majority.ts'

export interface Agreement {
  /** Number of pairs of grades of one item. */
  readonly pairs: number
  /** Share of them that agree, 0..1; null without any. */
  readonly rawAgreement: number | null
  /** 95 % interval of it: the highest rate that a perfect judge can show against one grader. */
  readonly ceiling: Interval | null
  /** For the two graders with the most items in common. */
  readonly cohenKappa: number | null
  readonly fleissKappa: number | null
  readonly graders: readonly GraderAgreement[]
  /** The first grade of each item on which graders differ; items without a majority come first. */
  readonly disagreements: readonly CountedGrade[]
}

export interface GraderAgreement {
  readonly graderId: string
  readonly grades: number
  /** Share of items with a majority on which the grader agrees with it, 0..1; null without such items. */
  readonly withMajority: number | null
}

/**
 * Agreement over the items that more than one grader graded. Yields from time to time, because a criterion may have tens of
 * thousands of grades.
 */
export function* agreementOf(grades: readonly CountedGrade[]): Generator<void, Agreement> {
  const items = yield* itemsOfSeveral(grades)
  const tallies = yield* tallyGraders(items)
  const { pairs, agreeing } = yield* countPairs(items)
  const ceiling = graderCeiling(agreeing, pairs)
  return {
    pairs,
    rawAgreement: ceiling?.ceiling ?? null,
    ceiling: ceiling?.interval ?? null,
    cohenKappa: yield* kappaOfBusiestPair(items, tallies),
    fleissKappa: fleissKappa(items),
    graders: yield* gradersOf(tallies),
    disagreements: yield* disagreementsOf(items),
  }
}

/** The counts of pairs of grades of one item, and of those that agree. */
export function* countPairs(items: readonly ItemOfSeveral[]) {
  const counts = { pairs: 0, agreeing: 0 }
  for (const { fails, passes } of items) {
    counts.pairs += pairsOf(fails + passes)
    counts.agreeing += pairsOf(fails) + pairsOf(passes)
    yield
  }
  return counts
}

function pairsOf(count: number): number {
  return (count * (count - 1)) / 2
}

interface GraderTally {
  readonly graderId: string
  grades: number
  /** Grades of items with a majority, and how many of them are the majority's. */
  decided: number
  agreeing: number
}

/** In the order in which graders occur. */
function* tallyGraders(items: readonly ItemOfSeveral[]): Generator<void, readonly GraderTally[]> {
  const tallies = new Map<string, GraderTally>()
  for (const item of items) {
    const majority = majorityIn(item)
    for (const { graderId, label } of item.grades) {
      const tally = tallies.get(graderId) ?? { graderId, grades: 0, decided: 0, agreeing: 0 }
      if (tally.grades === 0) tallies.set(graderId, tally)
      tally.grades += 1
      if (majority !== 'tie') tally.decided += 1
      if (label === majority) tally.agreeing += 1
      yield
    }
  }
  return [...tallies.values()]
}

/** Limits the graders that are paired, because the number of pairs grows with their square. */
const maxPaired = 50

/** Cells of one pair: both fail, only the first, only the second, neither. */
const cells = 4

/** Among pairs with equally many items, the first by name counts. */
function* kappaOfBusiestPair(items: readonly ItemOfSeveral[], tallies: readonly GraderTally[]) {
  const byGrades = yield* sortInSteps(tallies, (a, b) => b.grades - a.grades)
  const names = byGrades
    .slice(0, maxPaired)
    .map(({ graderId }) => graderId)
    .sort()
  const counts = yield* countCells(items, names)
  let [most, found, name] = [0, -1, '']
  for (let pair = 0; pair < names.length ** 2; pair++) {
    const total = counts.subarray(pair * cells, (pair + 1) * cells).reduce((a, b) => a + b, 0)
    const pairName = JSON.stringify([names[Math.floor(pair / names.length)], names[pair % names.length]])
    if (total === 0 || total < most || (total === most && pairName > name)) continue
    ;[most, found, name] = [total, pair, pairName]
  }
  if (found === -1) return null
  const [tp = 0, fn = 0, fp = 0, tn = 0] = counts.subarray(found * cells, (found + 1) * cells)
  return cohenKappa({ tp, fn, fp, tn })
}

/** The cells of all pairs of the graders, one after the other. */
function* countCells(items: readonly ItemOfSeveral[], names: readonly string[]): Generator<void, Uint32Array> {
  const counts = new Uint32Array(names.length ** 2 * cells)
  const places = new Map(names.map((name, place) => [name, place]))
  for (const { grades } of items) {
    const present = grades.flatMap(({ graderId, label }) => {
      const place = places.get(graderId)
      return place === undefined ? [] : [{ place, misses: label === 'fail' ? 0 : 1 }]
    })
    present.sort((a, b) => a.place - b.place)
    for (const [index, first] of present.entries()) {
      for (let other = index + 1; other < present.length; other++) {
        const second = present[other] ?? first
        const cell = (first.place * names.length + second.place) * cells + first.misses * 2 + second.misses
        counts[cell] = (counts[cell] ?? 0) + 1
      }
    }
    yield
  }
  return counts
}

function* gradersOf(tallies: readonly GraderTally[]): Generator<void, readonly GraderAgreement[]> {
  const sorted = yield* sortInSteps(tallies, (a, b) => b.grades - a.grades || (a.graderId < b.graderId ? -1 : 1))
  return sorted.map(({ graderId, grades, decided, agreeing }) => {
    return { graderId, grades, withMajority: decided === 0 ? null : agreeing / decided }
  })
}

function* disagreementsOf(items: readonly ItemOfSeveral[]): Generator<void, readonly CountedGrade[]> {
  const [ties, others]: [CountedGrade[], CountedGrade[]] = [[], []]
  for (const item of items) {
    yield
    const [first] = item.grades
    if (first === undefined || item.fails === 0 || item.passes === 0) continue
    const found = majorityIn(item) === 'tie' ? ties : others
    found.push(first)
  }
  return [...ties, ...others]
}
