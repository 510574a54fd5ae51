import type { CliIo } from './cli-io.ts'

/** The result of a command. This file prints it for all commands. */
export interface Answer {
  /** Printed with `--json`. */
  readonly json: Readonly<Record<string, unknown>>
  /** Printed without `--json`, on standard output. */
  readonly text: string
  /** Printed on standard error, because scripts read only the result. */
  readonly note?: string
  /** Absent = 0. Codes above 1 are those of gates. */
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
