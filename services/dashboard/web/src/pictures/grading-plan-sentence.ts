import { microOfUsd, moneyText } from '../kit/money.ts'
import { count, countOf, percent } from '../kit/numbers.ts'

interface PlannedPoint {
  /** Further grades. */
  readonly grades: number
  /** Chances after these grades and a calibration, 0..1. */
  readonly trustworthy: number
  readonly mayAct: number
}

export interface PlannedPart {
  /** Which answers, such as `that the judge failed`. */
  readonly label: string
  readonly grades: number
}

export interface GradingPlanFacts {
  readonly points: readonly PlannedPoint[]
  /** The chance that `needed` is for, 0..1. */
  readonly chance: number
  /** Further grades with which the judge may act with this chance; 0 when it may, null when no number is known. */
  readonly needed: number | null
  /** Why no number is known. */
  readonly reason: string | null
  /** The parts of `needed`, in their order. */
  readonly parts: readonly PlannedPart[]
  /** Time of people for `needed`; null when it is not known. */
  readonly minutes: number | null
  /** Cost of the calibration after them, US dollars; null when it is not known. */
  readonly costUsd: number | null
}

/** The picture as a sentence. */
export function gradingPlanSentence(facts: GradingPlanFacts): string {
  const { points, chance, needed, reason, parts } = facts
  if (needed === 0) return 'The judge may act; it needs no more grades.'
  const last = points.at(-1)
  if (needed === null) {
    const reached =
      last === undefined
        ? ''
        : ` After ${count(last.grades)} more the chance that it may act is ${percent(last.mayAct)}.`
    return `The number of grades is not known: ${reason ?? 'no reason was given'}.${reached}`
  }
  const split = parts.map(({ label, grades }) => `${count(grades)} ${label}`).join(', ')
  return `${countOf(needed, 'more grade')}, then a calibration: the judge may act with a chance of ${percent(chance)}. Of them ${split}.${takesText(facts)}`
}

function takesText({ minutes, costUsd }: GradingPlanFacts): string {
  if (minutes === null) return ''
  const cost = costUsd === null ? '' : `, and the calibration costs about ${moneyText(microOfUsd(costUsd))}`
  return ` The grading takes about ${countOf(Math.max(1, Math.round(minutes)), 'minute')}${cost}.`
}

const known: Readonly<Record<string, string>> = {
  all: 'from all traffic',
  judged_fail: 'that the judge failed',
  judged_pass: 'that the judge passed',
  judged_fail_disputed: 'that it failed, and passed another time',
  judged_pass_disputed: 'that it passed, and failed another time',
  judged_fail_contradicted: 'that it failed and users liked',
  judged_pass_contradicted: 'that it passed and users disliked',
}

/** The answers of a stratum in words; its name when it is not known. */
export function stratumLabel(stratum: string): string {
  const name = stratum.slice(stratum.indexOf('/') + 1)
  return known[name] ?? name
}
