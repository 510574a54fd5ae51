/** Rows that one statement changes at most, so that it takes about a second and blocks no other statement for long. */
export const rowsPerStatement = 1_000

/** Repeats a statement until it changes fewer rows than its maximum. */
export async function repeatStatement(
  run: () => Promise<{ readonly rowCount: number | null }>,
  maxRows = rowsPerStatement,
): Promise<number> {
  let rows = 0
  for (;;) {
    const { rowCount } = await run()
    rows += rowCount ?? 0
    if ((rowCount ?? 0) < maxRows) return rows
  }
}
