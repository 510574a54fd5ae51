import type { MeasuredAnswer } from '../samples/measured-sample.ts'

/** How long the answers took, of which that is known, milliseconds. What failed took no time that says anything. */
export function latenciesOf(answers: readonly MeasuredAnswer[]): readonly number[] {
  return answers.flatMap(({ isAnswered, latencyMs }) => (isAnswered && latencyMs !== null ? [latencyMs] : []))
}

export function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
}

/** The smallest value that at least 95 % of the values do not exceed. */
export function percentile95Of(values: readonly number[]): number | null {
  const ascending = Float64Array.from(values).sort()
  // Whole numbers until the division, or 0.95 · n could lie above the rank that it is.
  return ascending[Math.ceil((95 * values.length) / 100) - 1] ?? null
}
