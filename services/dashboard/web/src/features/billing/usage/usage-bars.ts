import type { UsageGroup } from '@ratchet/contracts/billing'
import { addMoney } from '../../../kit/money.ts'
import type { StackBar } from '../../../pictures/stacks.ts'
import type { UsageUnit } from '../search.ts'

/** What was charged on a day, as the endpoint replies. */
export interface UsageDay {
  readonly day: string
  readonly kind: 'group' | 'others' | 'unattributed'
  readonly group: string | null
  readonly cost_nano: string
}

export interface UsageBars {
  readonly bars: readonly StackBar[]
  readonly series: readonly { readonly name: string; readonly label: string }[]
}

export interface UsageBarsOptions {
  readonly groupBy: UsageGroup
  readonly unit: UsageUnit
  /** Days that have a bar also when nothing was charged. */
  readonly allDays: readonly string[]
  readonly nameOf: (group: string | null) => string
}

/**
 * Bars of each day, week or month, divided by group. What is not attributed is always a series, also when it is nothing; by day
 * there is one series for everything attributed, because the bars are the days themselves.
 */
export function usageBars(days: readonly UsageDay[], { groupBy, unit, allDays, nameOf }: UsageBarsOptions): UsageBars {
  const names = groupBy === 'day' ? ['attributed'] : seriesOf(days)
  const labels = [...new Set([...allDays, ...days.map(({ day }) => day)].map((day) => unitOf(day, unit)))].sort()
  const nameOfDay = (each: UsageDay) => (groupBy === 'day' && each.kind !== 'unattributed' ? 'attributed' : keyOf(each))
  const bars = labels.map((label) => {
    const own = days.filter(({ day }) => unitOf(day, unit) === label)
    const sum = (name: string) =>
      addMoney(own.filter((each) => nameOfDay(each) === name).map(({ cost_nano: cost }) => cost))
    return { label, amounts: Object.fromEntries([...names, 'unattributed'].map((name) => [name, sum(name)])) }
  })
  const texts = new Map(days.filter(({ kind }) => kind === 'group').map((each) => [keyOf(each), nameOf(each.group)]))
  const labelOf = (name: string) => texts.get(name) ?? name
  return { bars, series: [...names, 'unattributed'].map((name) => ({ name, label: labelOf(name) })) }
}

/** Groups from the most expensive to the cheapest, then the others. */
function seriesOf(days: readonly UsageDay[]): readonly string[] {
  const total = (name: string) =>
    BigInt(addMoney(days.filter((each) => keyOf(each) === name).map(({ cost_nano: cost }) => cost)))
  const groups = [...new Set(days.filter(({ kind }) => kind === 'group').map(keyOf))]
  const sorted = groups.sort((a, b) => (total(a) < total(b) ? 1 : -1))
  return days.some(({ kind }) => kind === 'others') ? [...sorted, 'others'] : sorted
}

/** A group may have any name, so groups have a prefix. */
function keyOf({ kind, group }: UsageDay): string {
  return kind === 'group' ? `group:${group ?? ''}` : kind
}

/** The day, the Monday of its week, or its month. */
function unitOf(day: string, unit: UsageUnit): string {
  if (unit === 'month') return day.slice(0, 7)
  if (unit === 'day') return day
  const date = new Date(`${day}T00:00:00Z`)
  date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7))
  return date.toISOString().slice(0, 10)
}
