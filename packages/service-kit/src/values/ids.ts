import { randomBytes } from 'node:crypto'

/** A pool of random hex digits, so that one system call serves hundreds of ids. */
const randomDigits = 19
let pool = ''
let used = 0
let time = { ms: -1, text: '' }

/**
 * UUIDv7 (RFC 9562): 48 bits of milliseconds, then 74 random bits, so that later ids sort later.
 *
 * @param nowMs milliseconds since the epoch.
 */
export function uuidV7(nowMs: number): string {
  if (used + randomDigits > pool.length) {
    pool = randomBytes(4_000).toString('hex')
    used = 0
  }
  if (time.ms !== nowMs) time = { ms: nowMs, text: timeText(nowMs) }
  const at = used
  used += randomDigits
  const variant = '89ab'[Number.parseInt(pool.slice(at + 3, at + 4), 16) & 3]
  return `${time.text}-7${pool.slice(at, at + 3)}-${variant}${pool.slice(at + 4, at + 7)}-${pool.slice(at + 7, at + 19)}`
}

/** The lowest UUIDv7 of a millisecond. All ids of that time or later sort after it. */
export function firstUuidV7At(ms: number): string {
  return `${timeText(ms)}-7000-8000-000000000000`
}

/** When a UUIDv7 was made. */
export function timeOfUuidV7(id: string): Date {
  return new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16))
}

function timeText(ms: number): string {
  const digits = ms.toString(16).padStart(12, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8)}`
}
