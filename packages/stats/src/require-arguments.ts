/** @throws RangeError unless the value is a whole number, 0 or more */
export function requireCount(name: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 0)
    throw new RangeError(`${name} must be a whole number ≥ 0, got ${value}`)
}

/** Each value by the name of its argument. @throws RangeError unless all are whole numbers, 0 or more */
export function requireCounts(values: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(values)) requireCount(name, value)
}

/** @throws RangeError unless the value is a finite number, 0 or more */
export function requireAmount(name: string, value: number): void {
  if (!(Number.isFinite(value) && value >= 0)) throw new RangeError(`${name} must be a finite number ≥ 0, got ${value}`)
}

/** @throws RangeError unless the value is a finite number above 0 */
export function requirePositive(name: string, value: number): void {
  if (!(Number.isFinite(value) && value > 0)) throw new RangeError(`${name} must be a finite number > 0, got ${value}`)
}

/** @throws RangeError unless the value is a finite number */
export function requireFinite(name: string, value: number): void {
  if (!Number.isFinite(value)) throw new RangeError(`${name} must be a finite number, got ${value}`)
}

/** @throws RangeError unless the value is in 0..1, both included */
export function requireRate(name: string, value: number): void {
  if (!(value >= 0 && value <= 1)) throw new RangeError(`${name} must be in 0..1, got ${value}`)
}

/** @throws RangeError unless the value lies between 0 and 1, both excluded */
export function requireInnerRate(name: string, value: number): void {
  if (!(value > 0 && value < 1)) throw new RangeError(`${name} must be between 0 and 1, both excluded, got ${value}`)
}

/**
 * Successes out of trials; both may be fractions, since weighted samples have effective counts.
 *
 * @throws RangeError unless 0 ≤ successes ≤ trials, both finite
 */
export function requireSuccesses(successes: number, trials: number): void {
  requireAmount('trials', trials)
  requirePart({ successes }, trials)
}

/** A count that is part of another one, by the name of its argument. @throws RangeError unless it is in 0..whole */
export function requirePart(part: Readonly<Record<string, number>>, whole: number): void {
  for (const [name, value] of Object.entries(part)) {
    if (!(value >= 0 && value <= whole)) throw new RangeError(`${name} must be in 0..${whole}, got ${value}`)
  }
}

/** Applies a check to each value, naming the first that fails by its index. */
export function requireEach(
  name: string,
  values: readonly number[],
  check: (name: string, value: number) => void,
): void {
  for (const [index, value] of values.entries()) check(`${name}[${index}]`, value)
}
