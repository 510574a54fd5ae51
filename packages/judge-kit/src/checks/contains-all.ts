/** Lengths up to which the search of the engine takes linear time. It looks at the last 250 characters of a longer one only. */
const maxPlainLength = 200

/**
 * Whether a text contains all values, in any case of letters. Yields after each value. Takes linear time for each, whatever
 * text and values are.
 */
export function* containsAll(text: string, values: readonly string[]): Generator<void, boolean> {
  const lower = text.toLowerCase()
  yield
  for (const value of values) {
    if (!contains(lower, value.toLowerCase())) return false
    yield
  }
  return true
}

function contains(text: string, value: string): boolean {
  return value.length <= maxPlainLength ? text.includes(value) : searchLinear(text, value)
}

/** @see Knuth, Morris, Pratt 1977, doi:10.1137/0206024 */
function searchLinear(text: string, value: string): boolean {
  const back = bordersOf(value)
  let matched = 0
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    while (matched > 0 && value.charCodeAt(matched) !== unit) matched = back[matched - 1] ?? 0
    if (value.charCodeAt(matched) === unit) matched += 1
    if (matched === value.length) return true
  }
  return false
}

/** For each beginning of a value: how long a beginning of it is also its end, itself left out. */
function bordersOf(value: string): Int32Array {
  const borders = new Int32Array(value.length)
  let length = 0
  for (let at = 1; at < value.length; at += 1) {
    const unit = value.charCodeAt(at)
    while (length > 0 && value.charCodeAt(length) !== unit) length = borders[length - 1] ?? 0
    if (value.charCodeAt(length) === unit) length += 1
    borders[at] = length
  }
  return borders
}
