export type BudgetPeriod = 'day' | 'week' | 'month' | 'total'

const dayMs = 86_400_000

/** The start (UTC) of the window of a period that a moment is in: of the day, of the week on Monday, of the month. */
export function windowStartOf(period: BudgetPeriod, at: Date): Date {
  if (period === 'total') return new Date(0)
  if (period === 'month') return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1))
  const day = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()))
  const daysSinceMonday = period === 'week' ? (day.getUTCDay() + 6) % 7 : 0
  return new Date(day.getTime() - daysSinceMonday * dayMs)
}
