import type { Verdict } from '@ratchet/contracts/criteria'
import { type RoundStratum, roundOrder } from '@ratchet/stats/forecast-round'
import { type FrameItem, type GradingStrategy, isDisputedStratum, judgedVerdictOf } from './grading-frame.ts'

export interface ChosenExchange {
  /** UUID. */
  readonly logId: string
  /** Share of its stratum that has been offered, with this exchange; 0 < p <= 1. */
  readonly samplingProbability: number
  readonly stratum: string
}

export interface GradingOrder {
  readonly limit: number
  /** Human classes whose rate is not proven yet; both when absent. Only `plan` chooses by them. */
  readonly openClasses?: readonly Verdict[]
}

export interface Choice extends GradingOrder {
  /** Sort key that gives a random but stable order. */
  readonly rank: (logId: string) => string
}

/** A stratum with the exchanges that have no grade, in their random order. */
export interface OpenStratum {
  readonly stratum: string
  readonly items: readonly FrameItem[]
  /** All of it in the random order. */
  readonly ranked: readonly FrameItem[]
  readonly graded: number
  /** Exchanges among the graded ones that people failed, and that they passed. */
  readonly humans: Readonly<Record<Verdict, number>>
}

/** Every stratum gets this many grades first: without any, a stratum cannot be estimated, and its draw does not count. */
const minGraded = 2
/** One in so many exchanges comes from the others, although disputed ones are preferred: an estimate needs both. */
const undisputedShare = 5

/** The exchanges to grade next, in the random order of the frame, so that their place tells nothing about the verdict. */
export function chooseCandidates(
  strata: readonly OpenStratum[],
  strategy: GradingStrategy,
  { rank, ...order }: Choice,
): ChosenExchange[] {
  const places = gradingOrder(strata, strategy, order)
  const counts = strata.map((_, index) => places.filter((place) => place === index).length)
  return takeFrom(strata, counts).toSorted((one, other) => (rank(one.logId) < rank(other.logId) ? -1 : 1))
}

/** Grades count for the frame as far as the random order has reached. */
export function openStrata(items: readonly FrameItem[], rank: Choice['rank']): readonly OpenStratum[] {
  return [...Map.groupBy(items, ({ stratum }) => stratum)]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([stratum, members]) => {
      const ranked = members
        .map((member) => ({ member, place: rank(member.logId) }))
        .toSorted((one, other) => (one.place < other.place ? -1 : 1))
        .map(({ member }) => member)
      return openStratum(stratum, ranked)
    })
}

function openStratum(stratum: string, ranked: readonly FrameItem[]): OpenStratum {
  const items = ranked.filter(({ isGraded }) => !isGraded)
  const reached = ranked.filter(({ isGraded, isOffered }) => isGraded && isOffered)
  const of = (verdict: Verdict) => reached.filter(({ human }) => human === verdict).length
  return { stratum, items, ranked, graded: reached.length, humans: { fail: of('fail'), pass: of('pass') } }
}

/** The strata after these exchanges were offered. */
export function withOffered(strata: readonly OpenStratum[], logIds: readonly string[]): readonly OpenStratum[] {
  const offered = new Set(logIds)
  return strata.map(({ stratum, ranked }) =>
    openStratum(
      stratum,
      ranked.map((item) => (offered.has(item.logId) ? { ...item, isOffered: true } : item)),
    ),
  )
}

/** The first exchanges of each stratum that have no grade. */
export function takeFrom(strata: readonly OpenStratum[], counts: readonly number[]): ChosenExchange[] {
  return strata.flatMap(({ stratum, items, ranked }, index) => {
    const taken = items.slice(0, counts[index] ?? 0)
    const last = taken.at(-1)
    const reached = last === undefined ? 0 : ranked.indexOf(last) + 1
    return taken.map(({ logId }) => ({ logId, stratum, samplingProbability: reached / ranked.length }))
  })
}

/** The stratum to take the next exchange from, given what is taken already; null when all are empty. */
type Preference = (open: readonly TakenStratum[], taken: number) => TakenStratum | null

interface TakenStratum {
  readonly stratum: string
  readonly available: number
  readonly rows: number
  readonly graded: number
  taken: number
}

/**
 * What the random order has reached when these exchanges are offered: them, and every exchange before them that has a grade
 * already. A stratum without open exchanges is reached to its end.
 */
export function reachedWith(strata: readonly OpenStratum[], chosen: readonly ChosenExchange[]): readonly string[] {
  const ids = new Set(chosen.map(({ logId }) => logId))
  return strata.flatMap(({ items, ranked }) => {
    const last = items.length === 0 ? ranked.length - 1 : ranked.findLastIndex(({ logId }) => ids.has(logId))
    return ranked.slice(0, last + 1).map(({ logId }) => logId)
  })
}

/** The stratum of each next grade, by its place in the list. */
export function gradingOrder(
  strata: readonly OpenStratum[],
  strategy: GradingStrategy,
  { limit, openClasses = ['fail', 'pass'] }: GradingOrder,
): readonly number[] {
  if (strategy === 'plan') return roundOrder(strata.map(plannedStratum), limit, openClasses)
  const states = strata.map(({ stratum, items, ranked, graded }): TakenStratum => {
    return { stratum, graded, available: items.length, rows: ranked.length, taken: 0 }
  })
  const order: number[] = []
  while (order.length < limit) {
    const open = states.filter(({ available, taken: own }) => own < available)
    const next =
      open.find(({ graded, taken: own }) => graded + own < minGraded) ?? preferences[strategy](open, order.length)
    if (next === null) break
    next.taken += 1
    order.push(states.indexOf(next))
  }
  return order
}

/** A stratum as the allocation by variance reads it. */
export function plannedStratum({ stratum, items, ranked, graded, humans }: OpenStratum): RoundStratum {
  const verdict = judgedVerdictOf(stratum) ?? 'pass'
  const { fail: fails, pass: passes } = humans
  return { rows: ranked.length, verdict, fails, passes, taken: graded, available: items.length }
}

const preferences: Readonly<Record<Exclude<GradingStrategy, 'plan'>, Preference>> = {
  random: proportional,
  balanced(open) {
    const fails = open.filter(({ stratum }) => judgedVerdictOf(stratum) === 'fail')
    const passes = open.filter(({ stratum }) => judgedVerdictOf(stratum) !== 'fail')
    return proportional(takenOf(fails) <= takenOf(passes) && fails.length > 0 ? fails : passes) ?? proportional(fails)
  },
  disagreement(open, taken) {
    const disputed = open.filter(({ stratum }) => isDisputedStratum(stratum))
    const agreed = open.filter(({ stratum }) => !isDisputedStratum(stratum))
    const isForOthers = taken % undisputedShare === undisputedShare - 1
    return proportional(isForOthers && agreed.length > 0 ? agreed : disputed) ?? proportional(agreed)
  },
}

function takenOf(strata: readonly TakenStratum[]): number {
  return strata.reduce((total, { taken }) => total + taken, 0)
}

/** The stratum whose taken share is smallest. */
function proportional(open: readonly TakenStratum[]): TakenStratum | null {
  return largest(open, ({ graded, taken, rows }) => -(graded + taken + 1) / rows)
}

function largest(open: readonly TakenStratum[], by: (each: TakenStratum) => number): TakenStratum | null {
  return open.toSorted((one, other) => by(other) - by(one))[0] ?? null
}
