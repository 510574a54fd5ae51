export interface Difference {
  readonly before: object
  readonly after: object
}

/** The fields that differ, with both values; null when none does. */
export function differenceOf<Fields extends object>(before: Fields, after: Fields): Difference | null {
  const names = Object.keys(after) as (keyof Fields)[]
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
  if (changed.length === 0) return null
  const pick = (fields: Fields) => Object.fromEntries(changed.map((name) => [name, fields[name]]))
  return { before: pick(before), after: pick(after) }
}
