interface Listed {
  readonly created_at: string
}

/** The filter for what came after the newest entry of a list. It matches that entry too, and others of the same millisecond. */
export function sinceNewest(
  filters: Readonly<Record<string, string | undefined>>,
  rows: readonly Listed[],
): { readonly start?: string } {
  const start = rows[0]?.created_at ?? filters.start
  return start === undefined ? {} : { start }
}

/** How many of the matching entries are not in the list. */
export function newerCount(total: number, rows: readonly Listed[]): number {
  const newest = rows[0]?.created_at
  return total - rows.filter(({ created_at: at }) => at === newest).length
}
