const signatureSize = 64
const shingleWords = 4

/** Odd multipliers and offsets of the permutations, from a fixed sequence: the same in every process. */
const permutations = Array.from({ length: signatureSize }, (_, index) => ({
  factor: (Math.imul(index + 1, 0x9e3779b1) | 1) >>> 0,
  offset: Math.imul(index + 1, 0x85ebca6b) >>> 0,
}))

/**
 * The MinHash signature of a text over runs of four words.
 *
 * @see Broder, "On the resemblance and containment of documents" (1997)
 */
export function shingleSignature(text: string): Uint32Array {
  const words = text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
  const signature = new Uint32Array(signatureSize).fill(0xffff_ffff)
  for (let at = 0; at <= Math.max(0, words.length - shingleWords); at++) {
    const shingle = hashText(words.slice(at, at + shingleWords).join(' '))
    for (const [index, { factor, offset }] of permutations.entries()) {
      const value = mix(Math.imul(shingle, factor) + offset)
      if (value < (signature[index] ?? 0)) signature[index] = value
    }
  }
  return signature
}

/** Estimates the share of runs that two texts have in common, 0 to 1. */
export function resemblance(a: Uint32Array, b: Uint32Array): number {
  let equal = 0
  for (const [index, value] of a.entries()) if (value === b[index]) equal += 1
  return equal / signatureSize
}

const bandRows = 4

/** Texts that resemble each other by more than about a half share one of these with all but certainty. */
export function bandsOf(signature: Uint32Array): readonly string[] {
  return Array.from({ length: signatureSize / bandRows }, (_, band) => {
    return `${band}:${signature.subarray(band * bandRows, (band + 1) * bandRows).join(',')}`
  })
}

/** FNV-1a, 32 bit. */
function hashText(text: string): number {
  let state = 0x811c9dc5
  for (let at = 0; at < text.length; at++) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193)
  return state >>> 0
}

/** The finalizer of MurmurHash3. */
function mix(value: number): number {
  let state = value >>> 0
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b)
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35)
  return (state ^ (state >>> 16)) >>> 0
}
