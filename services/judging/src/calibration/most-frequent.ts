export interface Frequency {
  readonly value: string
  readonly count: number
}

/** Counts equal texts, most frequent first; nulls are left out. */
export function mostFrequent(values: readonly (string | null)[]): readonly Frequency[] {
  const counts = new Map<string, number>()
  for (const value of values) if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1)
  const all = [...counts].map(([value, count]) => ({ value, count }))
  return all.sort((one, other) => other.count - one.count || (one.value < other.value ? -1 : 1))
}
