import { randomFillSync } from 'node:crypto'

const pool = Buffer.alloc(4_096)
let used = pool.length

/**
 * UUIDv7 (RFC 9562): 48 bits of milliseconds, then 74 random bits, so ids made later sort later.
 *
 * @param nowMs milliseconds since the epoch.
 */
export function uuidV7(nowMs: number): string {
  if (used + 10 > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const random = pool.subarray(used, used + 10)
  used += 10
  const hex = random.toString('hex')
  const time = nowMs.toString(16).padStart(12, '0')
  const variant = (0x8 | (((random[0] ?? 0) >> 4) & 0x3)).toString(16)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex.slice(1, 4)}-${variant}${hex.slice(5, 8)}-${hex.slice(8, 20)}`
}
