import type { Verdict } from '@ratchet/contracts/criteria'
import type { JudgedEntry } from '../judgements/verdict-reads.ts'

export const gradingStrategies = ['balanced', 'random', 'disagreement'] as const
export type GradingStrategy = (typeof gradingStrategies)[number]

/** An exchange to be graded, and how likely it was to be chosen. */
export interface ChosenExchange {
  readonly logId: string
  /** Of its stratum: how many were chosen, by now or before, of how many there are; 0 < p <= 1. */
  readonly probability: number
  readonly stratum: string
  readonly judgeVerdict: Verdict | null
}

export interface Choice {
  readonly limit: number
  /** Orders exchanges at random, the same way every time. */
  readonly rank: (logId: string) => string
}

/** As many that the judge failed as that it passed, as far as there are; each half drawn at random. */
export function chooseBalanced(judged: readonly JudgedEntry[], { limit, rank }: Choice): ChosenExchange[] {
  const strata = (['fail', 'pass'] as const).map((verdict) => ({
    stratum: `judged_${verdict}`,
    members: judged.filter((exchange) => exchange.verdict === verdict),
  }))
  const [fails = 0, passes = 0] = strata.map(({ members }) => members.filter(({ isGraded }) => !isGraded).length)
  const failShare = Math.min(fails, Math.max(Math.ceil(limit / 2), limit - passes))
  const counts = [failShare, Math.min(passes, limit - failShare)]
  return interleave(
    strata.map(({ stratum, members }, index) => draw(members, { stratum, count: counts[index] ?? 0, rank })),
  )
}

/** Those on which looks of the judge differ, then others; each drawn at random. */
export function chooseDisputed(judged: readonly JudgedEntry[], { limit, rank }: Choice): ChosenExchange[] {
  const disputed = judged.filter(({ isDisputed }) => isDisputed)
  const agreed = judged.filter(({ isDisputed }) => !isDisputed)
  const first = draw(disputed, { stratum: 'disputed', count: limit, rank })
  return [...first, ...draw(agreed, { stratum: 'agreed', count: limit - first.length, rank })]
}

interface Draw {
  readonly stratum: string
  readonly count: number
  readonly rank: (logId: string) => string
}

/** The next ones of an order that stays: with those that were graded before they are one sample of the stratum. */
function draw(members: readonly JudgedEntry[], { stratum, count, rank }: Draw): ChosenExchange[] {
  const open = members.filter(({ isGraded }) => !isGraded)
  const chosen = open
    .map((member) => ({ member, place: rank(member.logId) }))
    .toSorted((one, other) => (one.place < other.place ? -1 : 1))
    .slice(0, count)
  const probability = (members.length - open.length + chosen.length) / Math.max(1, members.length)
  return chosen.map(({ member: { logId, verdict } }) => ({ logId, probability, stratum, judgeVerdict: verdict }))
}

/** By turns, so that whoever grades cannot tell from the place what the judge said. */
function interleave(lists: readonly (readonly ChosenExchange[])[]): ChosenExchange[] {
  const longest = Math.max(0, ...lists.map((list) => list.length))
  return Array.from({ length: longest }, (_, place) => lists.flatMap((list) => list[place] ?? [])).flat()
}
