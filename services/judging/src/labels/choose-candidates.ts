import type { Verdict } from '@ratchet/contracts/criteria'
import type { JudgedEntry } from '../judgements/verdict-reads.ts'

export const gradingStrategies = ['balanced', 'random', 'disagreement'] as const
export type GradingStrategy = (typeof gradingStrategies)[number]

export interface ChosenExchange {
  readonly logId: string
  /** Share of its stratum that was chosen, now or before; 0 < p <= 1. */
  readonly samplingProbability: number
  readonly stratum: string
  readonly judgeVerdict: Verdict | null
}

export interface Choice {
  readonly limit: number
  /** Sort key that gives a random but stable order. */
  readonly rank: (logId: string) => string
}

/** Half judged FAIL, half judged PASS, as far as available; each half is drawn at random. */
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

/** First exchanges with different verdicts of the judge, then others; each group is drawn at random. */
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

/** Continues in a stable order, so that all draws from a stratum together are one sample. */
function draw(members: readonly JudgedEntry[], { stratum, count, rank }: Draw): ChosenExchange[] {
  const open = members.filter(({ isGraded }) => !isGraded)
  const chosen = open
    .map((member) => ({ member, place: rank(member.logId) }))
    .toSorted((one, other) => (one.place < other.place ? -1 : 1))
    .slice(0, count)
  const samplingProbability = (members.length - open.length + chosen.length) / Math.max(1, members.length)
  return chosen.map(({ member: { logId, verdict: judgeVerdict } }) => ({
    logId,
    samplingProbability,
    stratum,
    judgeVerdict,
  }))
}

/** Alternates, so that the position does not reveal the verdict of the judge to the grader. */
function interleave(lists: readonly (readonly ChosenExchange[])[]): ChosenExchange[] {
  const longest = Math.max(0, ...lists.map((list) => list.length))
  return Array.from({ length: longest }, (_, place) => lists.flatMap((list) => list[place] ?? [])).flat()
}
