/** The values in random order, by the algorithm of Fisher and Yates. */
export function shuffled<T>(values: readonly T[], random: () => number): T[] {
  const rest = [...values]
  const result: T[] = []
  while (rest.length > 0) result.push(...rest.splice(Math.floor(random() * rest.length), 1))
  return result
}
