import type { Verdict } from '@ratchet/contracts/criteria'
import { majorityOf } from '../labels/majority.ts'
import type { GradeInForce } from './graded-items.ts'
import { poolDraws } from './pool-draws.ts'

export interface CalibrationRequest {
  /** ISO 8601. */
  readonly createdAfter: string | null
  readonly graderId: string | null
  readonly sampling: 'random' | 'any'
  readonly maxRows: number | null
}

export interface GradedItem {
  readonly itemKey: string
  readonly human: Verdict
  /** The newest grade with the verdict `human`. */
  readonly labelId: string
  readonly snapshotId: string
  readonly samplingProbability: number
  readonly samplingMethod: string | null
  readonly stratum: string | null
  readonly segment: string
  readonly tag: string | null
  readonly gradedAt: Date
}

export interface SelectedItems {
  /** Newest grades first. */
  readonly items: readonly GradedItem[]
  /** Number of items whose grades have no majority. */
  readonly ties: number
}

export const maxRows = 10_000

/**
 * The items that a calibration judges. Grades of whole exchanges count for items without a grade for the criterion; then
 * the filter applies; then the majority of graders decides.
 */
export function selectItems(grades: readonly GradeInForce[], request: CalibrationRequest): SelectedItems {
  const own = new Set(grades.filter(({ isOwn }) => isOwn).map(({ itemKey }) => itemKey))
  const counting = grades.filter((grade) => grade.isOwn || !own.has(grade.itemKey))
  const all = decide(counting)
  const { items, ties } = decide(counting.filter((grade) => passes(grade, request)))
  return { items: poolDraws(items.sort(newestFirst).slice(0, request.maxRows ?? maxRows), all.items), ties }
}

function decide(grades: readonly GradeInForce[]): { readonly items: GradedItem[]; readonly ties: number } {
  const decided = [...Map.groupBy(grades, ({ itemKey }) => itemKey).values()].map(itemOf)
  const items = decided.filter((item) => item !== null)
  return { items, ties: decided.length - items.length }
}

function passes(grade: GradeInForce, { createdAfter, graderId, sampling }: CalibrationRequest): boolean {
  if (createdAfter !== null && grade.createdAt <= new Date(createdAfter)) return false
  if (graderId !== null && grade.graderId !== graderId) return false
  return sampling === 'any' || grade.samplingMethod === 'random'
}

/** Null for a tie. */
function itemOf(grades: readonly GradeInForce[]): GradedItem | null {
  const newest = grades.toSorted((one, other) => order(other.createdAt, one.createdAt) || compare(one, other))
  const human = majorityOf(newest.map(({ verdict }) => verdict))
  const grade = newest.find(({ verdict }) => verdict === human)
  const [latest] = newest
  if (human === 'tie' || grade === undefined || latest === undefined) return null
  const sampled = newest.find((each) => each.samplingProbability !== null)
  const { samplingMethod = null, samplingProbability = null, stratum = null } = sampled ?? {}
  return {
    itemKey: grade.itemKey,
    human,
    labelId: grade.labelId,
    snapshotId: grade.snapshotId,
    samplingProbability: samplingProbability ?? 1,
    samplingMethod,
    stratum,
    segment: grade.segment,
    tag: grade.tag,
    gradedAt: latest.createdAt,
  }
}

function newestFirst(one: GradedItem, other: GradedItem): number {
  return order(other.gradedAt, one.gradedAt) || compare(one, other)
}

function order(one: Date, other: Date): number {
  return one.getTime() - other.getTime()
}

function compare(one: { readonly labelId: string }, other: { readonly labelId: string }): number {
  return one.labelId < other.labelId ? 1 : -1
}
