import type { ReactNode } from 'react'

/** A column of a table. */
export interface Column<Row> {
  readonly id: string
  readonly header: string
  readonly cell: (row: Row) => ReactNode
  /** Pixels; columns without a width share the rest. */
  readonly width?: number
  readonly isNumber?: boolean
  /** False: left out on phones. */
  readonly onPhone?: boolean
  /** Shown only when a person chooses it. */
  readonly isExtra?: boolean
  /** Always shown. */
  readonly isFixed?: boolean
}

/**
 * The columns to show. `chosen` is the search parameter of the page: ids divided by commas, in their order; columns that do not
 * exist are ignored, and fixed ones are always there.
 */
export function chosenColumns<Row>(
  columns: readonly Column<Row>[],
  chosen: string | undefined,
): readonly Column<Row>[] {
  if (chosen === undefined) return columns.filter(({ isExtra }) => !isExtra)
  const ids = chosen.split(',')
  return columns.filter(({ id, isFixed }) => isFixed || ids.includes(id))
}

/** The search parameter after a column was switched on or off; undefined for the usual columns, which the address need not name. */
export function withColumn<Row>(
  columns: readonly Column<Row>[],
  chosen: string | undefined,
  id: string,
  isShown: boolean,
): string | undefined {
  const before = chosenColumns(columns, chosen).map((column) => column.id)
  const after = columns.map((column) => column.id).filter((each) => (each === id ? isShown : before.includes(each)))
  const usual = chosenColumns(columns, undefined).map((column) => column.id)
  return after.join(',') === usual.join(',') ? undefined : after.join(',')
}
