import { count } from '../kit/numbers.ts'

export interface StepPoint {
  readonly step: number
  readonly value: number
  /** Its interval, where there is one. */
  readonly interval?: readonly [low: number, high: number]
}

export interface StepFacts {
  /** What is measured, such as `Mean reward`. */
  readonly title: string
  /** By step, in ascending order. */
  readonly points: readonly StepPoint[]
  /** A value to compare with, drawn as a line. */
  readonly reference?: { readonly label: string; readonly value: number } | undefined
  readonly totalSteps: number
  readonly format: (value: number) => string
}

/** The picture as a sentence. */
export function stepSentence({ title, points, reference, totalSteps, format }: StepFacts): string {
  const [first] = points
  const last = points.at(-1)
  if (first === undefined || last === undefined) return `${title}: not measured yet.`
  const between = last.interval === undefined ? '' : `, between ${last.interval.map(format).join(' and ')}`
  const compared = reference === undefined ? '' : `; ${reference.label} ${format(reference.value)}`
  const steps = `${count(last.step)} of ${count(totalSteps)} steps`
  const values = points.length === 1 ? format(last.value) : `from ${format(first.value)} to ${format(last.value)}`
  return `${title} over ${steps}: ${values}${between}${compared}.`
}
