/** What begins a formula, also in the width that programs of East Asian languages take for the same, and what they skip before it. */
const formula = /^[=+\-@＝＋－＠\t\r\n]/

/** A cell as programs for tables read it back. A text that one would run as a formula begins with an apostrophe. */
function cell(value: string | number | bigint | null): string {
  if (value === null) return ''
  if (typeof value !== 'string') return String(value)
  const text = formula.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

export type CsvRow = readonly (string | number | bigint | null)[]

/** A line that ends with CRLF, as RFC 4180 has them. Amounts must be numbers or bigints, so that a minus stays one. */
export function csvLine(row: CsvRow): string {
  return `${row.map(cell).join(',')}\r\n`
}

/** A table of such lines. */
export function csvOf(head: readonly string[], rows: readonly CsvRow[]): string {
  return [head, ...rows].map(csvLine).join('')
}
