import { createHash } from 'node:crypto'

/** A number between two bounds. */
export function between(random: () => number, low: number, high: number): number {
  return low + random() * (high - low)
}

/** A UUIDv8 that names one piece of work: the same for the same words. */
export function deterministicId(...words: readonly (string | number)[]): string {
  const hex = createHash('sha256').update(words.join('/')).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
