const days = 7n
/** A longer time is not worth a number. */
const maxDays = 999n

/**
 * How many whole days the available money lasts when the workspace spends as in the last seven days; null when it spent nothing.
 *
 * @param availableNano what is available, nano-dollars
 * @param spentNano what was charged in the last seven days, nano-dollars
 */
export function daysLeft(availableNano: string, spentNano: string): number | null {
  const spent = BigInt(spentNano)
  if (spent <= 0n) return null
  const available = BigInt(availableNano)
  if (available <= 0n) return 0
  const left = (available * days) / spent
  return Number(left > maxDays ? maxDays : left)
}

/** The time that is left as words. */
export function daysLeftText(left: number | null): string {
  if (left === null) return 'Nothing was spent in the last 7 days.'
  if (left === 0) return 'Less than a day at the pace of the last 7 days.'
  const number = left >= Number(maxDays) ? `More than ${maxDays}` : `${left}`
  return `${number} ${left === 1 ? 'day' : 'days'} at the pace of the last 7 days.`
}
