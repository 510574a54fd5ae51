export interface FrequentValue {
  readonly value: string
  readonly count: number
}

/** The most frequent values first, equally frequent ones by name. Nulls are left out. */
export function frequentValues(values: readonly (string | null)[], limit: number): readonly FrequentValue[] {
  const counts = new Map<string, number>()
  for (const value of values) if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1)
  const all = [...counts].map(([value, count]) => ({ value, count }))
  return all.toSorted((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1)).slice(0, limit)
}
