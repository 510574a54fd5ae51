export interface Figure {
  readonly name: string
  readonly unit: string
  readonly must: number
  readonly measured: number
}

/** A line for each figure, with its budget and whether it is kept. */
export function budgetTable(figures: readonly Figure[]): readonly string[] {
  const number = (value: number, unit: string) => `${value.toFixed(unit === 'KB' ? 1 : 0)} ${unit}`
  const cells = figures.map(({ name, unit, must, measured }) => [
    name,
    number(measured, unit),
    number(must, unit),
    measured <= must ? 'kept' : 'OVER',
  ])
  const rows = [['figure', 'measured', 'budget', ''], ...cells]
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map(([name = '', measured = '', must = '', verdict = '']) =>
    [name.padEnd(widths[0] ?? 0), measured.padStart(widths[1] ?? 0), must.padStart(widths[2] ?? 0), verdict]
      .join('  ')
      .trimEnd(),
  )
}
