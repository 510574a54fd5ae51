/** The encoding of a vector: numbers, or the base64 of float32 in little-endian order. */
export type VectorFormat = 'float' | 'base64'

/** A vector as it is written in an answer. */
export type WireVector = readonly number[] | string

/**
 * The vector in `format`; the same value when it has that format already. Numbers are rounded to the nearest float32,
 * the precision that models compute with, so a conversion there and back is exact. Bytes after the last complete float
 * are dropped.
 */
export function convertVector(vector: WireVector, format: VectorFormat): WireVector {
  if (typeof vector === 'string') return format === 'base64' ? vector : decodeVector(vector)
  return format === 'float' ? vector : encodeVector(vector)
}

const BYTES = 4

function encodeVector(vector: readonly number[]): string {
  const bytes = Buffer.allocUnsafe(vector.length * BYTES)
  let at = 0
  for (const value of vector) at = bytes.writeFloatLE(value, at)
  return bytes.toString('base64')
}

function decodeVector(text: string): number[] {
  const bytes = Buffer.from(text, 'base64')
  return Array.from({ length: Math.floor(bytes.length / BYTES) }, (_, index) => bytes.readFloatLE(index * BYTES))
}
