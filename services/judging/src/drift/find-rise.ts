import { dayMs } from '@ratchet/service-kit/timing/durations'
import { rateRise, type Share } from '@ratchet/stats/rate-rise'

/** Judgements of one UTC day, and how many of them had the outcome that is watched. */
export interface DayCount extends Share {
  /** Days since the beginning of 1970. */
  readonly day: number
}

export interface History {
  /** Judgements before all days. */
  readonly baseline: Share
  readonly days: readonly DayCount[]
}

export interface RiseRule {
  /** Probability that a stable rate is found to rise in a year of sweeps. */
  readonly alphaPerYear: number
  /** Smallest rise that is found, 0..1. */
  readonly minRise: number
  /** Judgements that both sides need. */
  readonly minTrials: number
}

export interface Rise {
  /** First day after the rise. */
  readonly since: number
  readonly before: Share
  readonly after: Share
  readonly rise: number
  readonly p: number
}

/**
 * The last days that are compared with all days before them. A large rise shows in a week, a small one needs more days.
 * Neighbouring windows of many days hold almost the same judgements, so they are compared less often.
 */
const windows = [
  { days: 7, everyDays: 1 },
  { days: 14, everyDays: 2 },
  { days: 28, everyDays: 4 },
] as const

export const comparisonsPerYear = windows.reduce((sum, { everyDays }) => sum + Math.ceil(366 / everyDays), 0)

/**
 * Finds a rise of a rate, in the shortest window that proves one. Days are complete when they are compared, so a sweep that
 * is repeated on a day compares the same numbers. The probability of a false alarm is divided by the comparisons of a year
 * and each comparison is exact; so a stable rate is found to rise in at most `alphaPerYear` of years, whatever the volume.
 *
 * @param today the day of the sweep; it is not complete
 */
export function findRise({ baseline, days }: History, today: number, rule: RiseRule): Rise | null {
  for (const { days: length, everyDays } of windows) {
    if (today % everyDays !== 0) continue
    const since = today - length
    const before = sumOf([baseline, ...days.filter(({ day }) => day < since)])
    const after = sumOf(days.filter(({ day }) => day >= since && day < today))
    const found = provenRise(before, after, rule)
    if (found !== null) return { since, before, after, ...found }
  }
  return null
}

function provenRise(before: Share, after: Share, { alphaPerYear, minRise, minTrials }: RiseRule) {
  if (Math.min(before.trials, after.trials) < minTrials) return null
  const found = rateRise({ before, after })
  if (found === null || found.rise <= minRise || found.p > alphaPerYear / comparisonsPerYear) return null
  return found
}

export function sumOf(shares: readonly Share[]): Share {
  return shares.reduce((sum, { hits, trials }) => ({ hits: sum.hits + hits, trials: sum.trials + trials }), noShare)
}

export const noShare: Share = { hits: 0, trials: 0 }

/** The UTC day of a moment. */
export function utcDay(at: Date): number {
  return Math.floor(at.getTime() / dayMs)
}

/** The beginning of a UTC day. */
export function startOfDay(day: number): Date {
  return new Date(day * dayMs)
}
