import { csvLine } from '@ratchet/service-kit/values/csv'

/** A line of CSV with values of a JSON reply. Objects and lists become JSON. */
export function csvLineOf(values: readonly unknown[]): string {
  return csvLine(values.map(cellOf))
}

function cellOf(value: unknown): string | number | null {
  if (value === null || value === undefined) return null
  return typeof value === 'number' || typeof value === 'string' ? value : JSON.stringify(value)
}
