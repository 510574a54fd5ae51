import { randomBytes } from 'node:crypto'

/** A name of the same form that does not exist. */
export function absentName(name: string): string {
  return name.replace(/[0-9a-f]{32}$|[^_-]+$/, (end) => randomBytes(32).toString('hex').slice(0, end.length))
}
