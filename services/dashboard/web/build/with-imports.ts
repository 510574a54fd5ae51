/** Files with all that they import at once; what is imported later does not count. */
export function withImports(
  start: readonly string[],
  importsOf: (file: string) => readonly string[],
): ReadonlySet<string> {
  const found = new Set(start)
  for (const file of found) for (const each of importsOf(file)) found.add(each)
  return found
}
