import type { CountedGrade } from './label-queries.ts'

/** An item with its grades, the oldest first. */
export interface ItemOfSeveral {
  readonly grades: readonly CountedGrade[]
  readonly fails: number
  readonly passes: number
}

/** The items with more than one grade, in the order of their first grades. Yields from time to time. */
export function* itemsOfSeveral(grades: readonly CountedGrade[]): Generator<void, readonly ItemOfSeveral[]> {
  const items = new Map<string, { readonly grades: CountedGrade[]; fails: number; passes: number }>()
  for (const grade of grades) {
    yield
    const item = items.get(grade.itemKey) ?? { grades: [], fails: 0, passes: 0 }
    if (item.grades.length === 0) items.set(grade.itemKey, item)
    item.grades.push(grade)
    if (grade.label === 'fail') item.fails += 1
    else item.passes += 1
  }
  return [...items.values()].filter((item) => item.grades.length > 1)
}
