import type { Verdict } from '@ratchet/contracts/criteria'
import { cohenKappa } from '@ratchet/stats/cohen-kappa'
import type { ConfusionCounts } from '@ratchet/stats/confusion-counts'
import { fleissKappa, type GradeCounts } from '@ratchet/stats/fleiss-kappa'
import { graderCeiling } from '@ratchet/stats/grader-ceiling'
import type { Interval } from '@ratchet/stats/interval'
import type { CountedGrade } from './label-queries.ts'
import { majorityOf } from './majority.ts'

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

type Item = readonly CountedGrade[]

/** Agreement over the items that more than one grader graded. */
export function agreementOf(grades: readonly CountedGrade[]): Agreement {
  const items = [...Map.groupBy(grades, ({ itemKey }) => itemKey).values()].filter(({ length }) => length > 1)
  const counts = items.map(countVerdicts)
  const pairs = sum(counts, ({ fails, passes }) => pairsOf(fails + passes))
  const agreeing = sum(counts, ({ fails, passes }) => pairsOf(fails) + pairsOf(passes))
  const ceiling = graderCeiling(agreeing, pairs)
  return {
    pairs,
    rawAgreement: ceiling?.ceiling ?? null,
    ceiling: ceiling?.interval ?? null,
    cohenKappa: kappaOfBusiestPair(items),
    fleissKappa: fleissKappa(counts),
    graders: gradersOf(items),
    disagreements: disagreementsOf(items),
  }
}

function countVerdicts(item: Item): GradeCounts {
  const fails = item.filter(({ label }) => label === 'fail').length
  return { fails, passes: item.length - fails }
}

function pairsOf(count: number): number {
  return (count * (count - 1)) / 2
}

function sum<T>(values: readonly T[], of: (value: T) => number): number {
  return values.reduce((total, value) => total + of(value), 0)
}

interface Pair extends ConfusionCounts {
  readonly name: string
}

/** Limits the graders that are paired, because the number of pairs grows with their square. */
const maxPaired = 50

/** Among pairs with equally many items, the first by name counts. */
function kappaOfBusiestPair(items: readonly Item[]): number | null {
  const pairs = new Map<string, Pair>()
  const busiest = new Set(byGrades(items).slice(0, maxPaired))
  for (const item of items) {
    const sorted = item
      .filter(({ graderId }) => busiest.has(graderId))
      .toSorted((a, b) => (a.graderId < b.graderId ? -1 : 1))
    for (const [index, first] of sorted.entries()) {
      for (const second of sorted.slice(index + 1)) count(pairs, first, second)
    }
  }
  const itemsOf = ({ tp, fn, fp, tn }: Pair) => tp + fn + fp + tn
  const ranked = [...pairs.values()].sort((a, b) => itemsOf(b) - itemsOf(a) || (a.name < b.name ? -1 : 1))
  return ranked[0] === undefined ? null : cohenKappa(ranked[0])
}

/** Graders with the most grades first. */
function byGrades(items: readonly Item[]): readonly string[] {
  const counts = Map.groupBy(items.flat(), ({ graderId }) => graderId)
  return [...counts].sort(([, a], [, b]) => b.length - a.length).map(([graderId]) => graderId)
}

function count(pairs: Map<string, Pair>, first: CountedGrade, second: CountedGrade): void {
  const name = JSON.stringify([first.graderId, second.graderId])
  const before = pairs.get(name) ?? { name, tp: 0, fn: 0, fp: 0, tn: 0 }
  const cell = cellOf(first.label, second.label)
  pairs.set(name, { ...before, [cell]: before[cell] + 1 })
}

function cellOf(first: Verdict, second: Verdict): keyof ConfusionCounts {
  if (first === 'fail') return second === 'fail' ? 'tp' : 'fn'
  return second === 'fail' ? 'fp' : 'tn'
}

function gradersOf(items: readonly Item[]): readonly GraderAgreement[] {
  const judged = items.flatMap((item) => {
    const majority = majorityOf(item.map(({ label }) => label))
    return item.map(({ graderId, label }) => ({ graderId, label, majority }))
  })
  const byGrader = Map.groupBy(judged, ({ graderId }) => graderId)
  return [...byGrader]
    .map(([graderId, grades]) => {
      const decided = grades.filter(({ majority }) => majority !== 'tie')
      const agreeing = decided.filter(({ label, majority }) => label === majority)
      const withMajority = decided.length === 0 ? null : agreeing.length / decided.length
      return { graderId, grades: grades.length, withMajority }
    })
    .sort((a, b) => b.grades - a.grades || (a.graderId < b.graderId ? -1 : 1))
}

function disagreementsOf(items: readonly Item[]): readonly CountedGrade[] {
  const differing = items.filter((item) => new Set(item.map(({ label }) => label)).size > 1)
  const isTie = (item: Item) => majorityOf(item.map(({ label }) => label)) === 'tie'
  const { ties = [], others = [] } = Object.groupBy(differing, (item) => (isTie(item) ? 'ties' : 'others'))
  return [...ties, ...others].flatMap(([first]) => first ?? [])
}
