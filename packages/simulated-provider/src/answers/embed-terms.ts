/**
 * A unit vector of hashed terms: every term adds one signed step along two axes that its hash names, so texts
 * that share words are near each other and unrelated texts are nearly orthogonal.
 *
 * @param dimensions length of the vector, ≥ 1
 */
export function embedTerms(terms: readonly string[], dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions)
  for (const term of terms) {
    const first = fnv1a(term, 0x811c9dc5)
    const second = fnv1a(term, first)
    addTo(vector, first)
    addTo(vector, second)
  }
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0))
  if (length === 0) vector[0] = 1
  return length === 0 ? vector : vector.map((value) => value / length)
}

function addTo(vector: Float32Array, hashed: number): void {
  const axis = (hashed >>> 1) % vector.length
  vector[axis] = (vector[axis] ?? 0) + ((hashed & 1) === 0 ? 1 : -1)
}

/** FNV-1a, 32 bits. @see http://www.isthe.com/chongo/tech/comp/fnv/ */
function fnv1a(text: string, start: number): number {
  let hashed = start
  for (let index = 0; index < text.length; index += 1) {
    hashed = Math.imul(hashed ^ text.charCodeAt(index), 0x01000193)
  }
  return hashed >>> 0
}
