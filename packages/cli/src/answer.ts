import type { CliIo } from './cli-io.ts'

/** What a command has to say; how it is said is decided here, for all of them. */
export interface Answer {
  /** Printed with `--json`. */
  readonly json: Readonly<Record<string, unknown>>
  /** Printed without: the result itself, on standard output. */
  readonly text: string
  /** Remarks that a script reading the result does not want, on standard error. */
  readonly note?: string
  /** Absent = 0. Beyond 1 they are those of gates. */
  readonly exitCode?: 1 | 2 | 3 | 4
}

export function printAnswer({ json, text, note }: Answer, asJson: boolean, { stdout, stderr }: CliIo): void {
  stdout(`${asJson ? JSON.stringify(json, null, 2) : text}\n`)
  if (note !== undefined && !asJson) stderr(`${note}\n`)
}

/** Columns of text, two spaces apart; the first row is the heading. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')
  return rows.map((row) => line(row).trimEnd()).join('\n')
}
