/** The result of a hash as two signed 32-bit halves. */
export interface Hash64 {
  high: number
  low: number
}

/**
 * Bob Jenkins' lookup3 as Postgres uses it for `hashtextextended` and `uuid_hash_extended` (`hash_bytes_extended` in
 * src/common/hashfn.c, on a little-endian machine).
 *
 * @param size number of the first bytes to hash
 * @param seed 0 and 0 for none
 * @param into receives the result, because an object per word would be the larger part of the cost
 */
export function hashBytes(bytes: Uint8Array, size: number, seed: Readonly<Hash64>, into: Hash64): void {
  let a = (0x9e3779b9 + size + 3923095) | 0
  let b = a
  let c = a
  let at = 0
  let left = size
  let isSeed = seed.high !== 0 || seed.low !== 0
  if (isSeed) {
    a = (a + seed.high) | 0
    b = (b + seed.low) | 0
  }
  for (;;) {
    if (isSeed) isSeed = false
    else if (left < 12) break
    else {
      a = (a + readLittleEndian(bytes, at, 4)) | 0
      b = (b + readLittleEndian(bytes, at + 4, 4)) | 0
      c = (c + readLittleEndian(bytes, at + 8, 4)) | 0
      at += 12
      left -= 12
    }
    a = ((a - c) ^ rotate(c, 4)) | 0
    c = (c + b) | 0
    b = ((b - a) ^ rotate(a, 6)) | 0
    a = (a + c) | 0
    c = ((c - b) ^ rotate(b, 8)) | 0
    b = (b + a) | 0
    a = ((a - c) ^ rotate(c, 16)) | 0
    c = (c + b) | 0
    b = ((b - a) ^ rotate(a, 19)) | 0
    a = (a + c) | 0
    c = ((c - b) ^ rotate(b, 4)) | 0
    b = (b + a) | 0
  }
  if (left > 0) a = (a + readLittleEndian(bytes, at, Math.min(left, 4))) | 0
  if (left > 4) b = (b + readLittleEndian(bytes, at + 4, Math.min(left - 4, 4))) | 0
  // The lowest byte of c is reserved for the length.
  if (left > 8) c = (c + (readLittleEndian(bytes, at + 8, left - 8) << 8)) | 0
  c = ((c ^ b) - rotate(b, 14)) | 0
  a = ((a ^ c) - rotate(c, 11)) | 0
  b = ((b ^ a) - rotate(a, 25)) | 0
  c = ((c ^ b) - rotate(b, 16)) | 0
  a = ((a ^ c) - rotate(c, 4)) | 0
  b = ((b ^ a) - rotate(a, 14)) | 0
  c = ((c ^ b) - rotate(b, 24)) | 0
  into.high = b
  into.low = c
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits))
}

function readLittleEndian(bytes: Uint8Array, at: number, count: number): number {
  let value = bytes[at] as number
  if (count > 1) value |= (bytes[at + 1] as number) << 8
  if (count > 2) value |= (bytes[at + 2] as number) << 16
  if (count > 3) value |= (bytes[at + 3] as number) << 24
  return value
}
