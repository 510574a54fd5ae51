import { runToEnd } from '@ratchet/service-kit/timing/run-to-end'
import { sortInSteps } from '@ratchet/service-kit/timing/sort-in-steps'
import { majorityOf } from '../labels/majority.ts'
import type {
  GradedItem,
  GradeInForce,
  GradeSampling,
  ItemWeight,
  UnansweredItem,
  WeighedItem,
} from './graded-items.ts'
import { pickedStratum } from './strata.ts'
import { weighItems } from './weigh-items.ts'

export interface CalibrationRequest {
  /** ISO 8601. */
  readonly createdAfter: string | null
  readonly graderId: string | null
  readonly sampling: 'random' | 'any'
  /** Whether grades of items that people picked count too. */
  readonly includesPicked: boolean
  readonly maxRows: number | null
}

export interface SelectedItems {
  /** Newest grades first. */
  readonly items: readonly WeighedItem[]
  /** Number of picked items that were left out. */
  readonly leftOut: number
  /** Number of items that were left out because a stratum of their draw has no grade, so the draw represents nothing. */
  readonly incomplete: number
  /** Number of items whose grades have no majority. */
  readonly ties: number
  /** Items that were offered before others that have a grade, and have none. They count as errors of the judge. */
  readonly unanswered: readonly ItemWeight[]
  /** Number of graded items that the filter leaves out of draws of which it selects others. */
  readonly cut: number
}

export const maxRows = 10_000

/**
 * The items that a calibration judges. Grades of whole exchanges count for items without a grade for the criterion; then
 * the filter applies; then the majority of graders decides. Unanswered items belong to what was graded of their draw, so they
 * count wherever an item of the draw does. Yields from time to time.
 */
export function* selectItemsInSteps(
  grades: readonly GradeInForce[],
  request: CalibrationRequest,
  unanswered: readonly UnansweredItem[] = [],
): Generator<void, SelectedItems> {
  const own = new Set(grades.filter(({ isOwn }) => isOwn).map(({ itemKey }) => itemKey))
  const counting = grades.filter((grade) => grade.isOwn || !own.has(grade.itemKey))
  const { items: decided, ties } = yield* decide(counting.filter((grade) => passes(grade, request)))
  const counted = decided.filter(({ sampling }) => request.includesPicked || sampling.kind !== 'picked')
  const newest = (yield* sortInSteps(counted, newestFirst)).slice(0, request.maxRows ?? maxRows)
  const draws = new Set(newest.flatMap(({ sampling }) => drawOf(sampling) ?? []))
  const missing = unanswered.filter(({ sampling }) => draws.has(drawOf(sampling) ?? ''))
  const weighed = weighItems<GradedItem | UnansweredItem>([...newest, ...missing])
  const inDraws = weighed.filter(({ stratum }) => request.includesPicked || stratum !== pickedStratum)
  const items = inDraws.filter((item): item is WeighedItem => 'human' in item)
  return {
    items,
    ties,
    leftOut: decided.length - counted.length,
    incomplete: newest.length - items.length,
    unanswered: inDraws.flatMap((item) =>
      'human' in item ? [] : [{ stratum: item.stratum, samplingProbability: item.samplingProbability }],
    ),
    cut: countCut((yield* decide(counting)).items, { selected: newest, draws }),
  }
}

/** The same without turns for others. */
export function selectItems(...of: Parameters<typeof selectItemsInSteps>): SelectedItems {
  return runToEnd(selectItemsInSteps(...of))
}

/** Whoever chooses which grades of a draw count chooses items. */
function countCut(
  graded: readonly GradedItem[],
  { selected, draws }: { readonly selected: readonly GradedItem[]; readonly draws: ReadonlySet<string> },
): number {
  const keys = new Set(selected.map(({ itemKey }) => itemKey))
  return graded.filter(({ itemKey, sampling }) => draws.has(drawOf(sampling) ?? '') && !keys.has(itemKey)).length
}

/** The frame of an item; null for picked ones. */
function drawOf(sampling: GradeSampling): string | null {
  return sampling.kind === 'picked' ? null : sampling.frameId
}

interface Decided {
  readonly items: readonly GradedItem[]
  readonly ties: number
}

function* decide(grades: readonly GradeInForce[]): Generator<void, Decided> {
  const items: GradedItem[] = []
  let ties = 0
  for (const ofItem of Map.groupBy(grades, ({ itemKey }) => itemKey).values()) {
    const item = itemOf(ofItem)
    if (item === null) ties += 1
    else items.push(item)
    yield
  }
  return { items, ties }
}

function passes(grade: GradeInForce, { createdAfter, graderId, sampling }: CalibrationRequest): boolean {
  if (createdAfter !== null && grade.createdAt <= new Date(createdAfter)) return false
  if (graderId !== null && grade.graderId !== graderId) return false
  return sampling === 'any' || grade.sampling.kind === 'random'
}

/** Null for a tie. */
function itemOf(grades: readonly GradeInForce[]): GradedItem | null {
  const newest = grades.toSorted((one, other) => order(other.createdAt, one.createdAt) || compare(one, other))
  const human = majorityOf(newest.map(({ verdict }) => verdict))
  const grade = newest.find(({ verdict }) => verdict === human)
  const [latest] = newest
  if (human === 'tie' || grade === undefined || latest === undefined) return null
  return {
    itemKey: grade.itemKey,
    human,
    labelId: grade.labelId,
    snapshotId: grade.snapshotId,
    sampling: samplingOf(newest),
    segment: grade.segment,
    tag: grade.tag,
    gradedAt: latest.createdAt,
  }
}

/** A random draw comes first, then the newest that is known. */
function samplingOf(newestFirst: readonly GradeInForce[]): GradeSampling {
  const known = newestFirst.map(({ sampling }) => sampling).filter(({ kind }) => kind !== 'picked')
  return known.find(({ kind }) => kind === 'random') ?? known[0] ?? { kind: 'picked' }
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
