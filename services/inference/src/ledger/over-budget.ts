/** A hold that the wallet covers and a budget does not; the places of those budgets in its list, from 0. */
export type OverBudget = `over_budget:${string}`

const prefix = 'over_budget:'

export function overBudget(places: readonly number[]): OverBudget {
  return `${prefix}${places.join(',')}`
}

export function isOverBudget(outcome: string): outcome is OverBudget {
  return outcome.startsWith(prefix)
}

export function exceededPlaces(outcome: OverBudget): readonly number[] {
  return outcome.slice(prefix.length).split(',').map(Number)
}
