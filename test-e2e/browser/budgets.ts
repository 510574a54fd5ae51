export interface BudgetFigure {
  readonly name: string
  readonly unit: string
  readonly must: number
  readonly measured: number
}

/**
 * Checks a figure of the dashboard against its budget.
 *
 * @param busyFactor how many times the budget it may be on a machine that other tests use too: 1 for sizes, more for times
 */
export function checkBudget(
  { name, unit, must, measured }: BudgetFigure,
  { busyFactor }: { readonly busyFactor: number },
): void {
  process.stderr.write(`${name}: ${measured.toFixed(1)} ${unit}, budget ${must}\n`)
  const most = busyFactor * must
  if (!(measured <= most)) throw new Error(`${name}: ${measured} ${unit} is above ${most}.`)
}

/** The value that a share of the values does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
