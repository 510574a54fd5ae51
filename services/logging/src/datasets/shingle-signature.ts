const signatureSize = 64
const shingleWords = 4
/** Runs of words between two turns of others. */
const stepSize = 1_000

const { imul } = Math

/** Odd multipliers and offsets of the permutations. They are fixed, so every process computes the same signatures. */
const factors = Uint32Array.from({ length: signatureSize }, (_, index) => imul(index + 1, 0x9e3779b1) | 1)
const offsets = Uint32Array.from({ length: signatureSize }, (_, index) => imul(index + 1, 0x85ebca6b))

/**
 * The MinHash signature of a text over runs of four words. Yields from time to time.
 *
 * @see Broder, "On the resemblance and containment of documents" (1997)
 */
export function* shingleSignature(text: string): Generator<void, Uint32Array> {
  const words = text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
  const signature = new Uint32Array(signatureSize).fill(0xffff_ffff)
  const shingles = new Set<number>()
  for (let at = 0; at <= Math.max(0, words.length - shingleWords); at++) {
    shingles.add(hashText(words.slice(at, at + shingleWords).join(' ')))
    if (at % stepSize === stepSize - 1) yield
  }
  let lowered = 0
  for (const shingle of shingles) {
    lower(signature, shingle)
    lowered += 1
    if (lowered % stepSize === 0) yield
  }
  return signature
}

function lower(signature: Uint32Array, shingle: number): void {
  for (let index = 0; index < signatureSize; index++) {
    const value = mix(imul(shingle, factors[index] ?? 1) + (offsets[index] ?? 0))
    if (value < (signature[index] ?? 0)) signature[index] = value
  }
}

/** Estimates the share of word sequences that two texts have in common, 0 to 1. */
export function resemblance(a: Uint32Array, b: Uint32Array): number {
  let equal = 0
  for (let index = 0; index < signatureSize; index++) if (a[index] === b[index]) equal += 1
  return equal / signatureSize
}

const bandRows = 4

/** Texts with a resemblance above about 0.5 almost certainly share one of these. */
export function bandsOf(signature: Uint32Array): readonly string[] {
  return Array.from({ length: signatureSize / bandRows }, (_, band) => {
    return `${band}:${signature.subarray(band * bandRows, (band + 1) * bandRows).join(',')}`
  })
}

/** FNV-1a, 32 bit. */
function hashText(text: string): number {
  let state = 0x811c9dc5
  for (let at = 0; at < text.length; at++) state = imul(state ^ text.charCodeAt(at), 0x01000193)
  return state >>> 0
}

/** The finalizer of MurmurHash3. */
export function mix(value: number): number {
  let state = value >>> 0
  state = imul(state ^ (state >>> 16), 0x85ebca6b)
  state = imul(state ^ (state >>> 13), 0xc2b2ae35)
  return (state ^ (state >>> 16)) >>> 0
}
