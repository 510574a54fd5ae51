/** Bytes that {@link writeNumber} may write: a sign and seven groups of three digits. */
export const longestNumber = 22

const million = 1_000_000
/** 2³² is this many millions and units. */
const wordMillions = 4_294
const wordUnits = 967_296
const minus = 0x2d
const zero = 0x30

/** The three digits of each number below a thousand. */
const digits = Uint8Array.from({ length: 3_000 }, (_, index) =>
  String(Math.floor(index / 3))
    .padStart(3, '0')
    .charCodeAt(index % 3),
)

/**
 * Writes a signed 64-bit number, given as two halves, in decimal. A third of the time of a BigInt and its text.
 *
 * @returns the index behind the number
 */
export function writeNumber(text: Uint8Array, at: number, high: number, low: number): number {
  const isNegative = high < 0
  const lower = (isNegative ? -low : low) >>> 0
  const upper = (isNegative ? ~high + (lower === 0 ? 1 : 0) : high) >>> 0
  // Each of these is below 2⁵³, so that nothing is rounded.
  const units = upper * wordUnits + lower
  const carried = Math.floor(units / million)
  const millions = upper * wordMillions + carried
  const billions = Math.floor(millions / million)
  const top = Math.floor(billions / million)
  if (isNegative) text[at] = minus
  const start = at + (isNegative ? 1 : 0)
  writeGroup(text, start, top)
  writeSix(text, start + 3, billions - top * million)
  writeSix(text, start + 9, millions - billions * million)
  writeSix(text, start + 15, units - carried * million)
  return withoutZeros(text, start, start + 21)
}

function writeSix(text: Uint8Array, at: number, value: number): void {
  const thousands = (value / 1_000) | 0
  writeGroup(text, at, thousands)
  writeGroup(text, at + 3, value - thousands * 1_000)
}

function writeGroup(text: Uint8Array, at: number, value: number): void {
  const index = value * 3
  text[at] = digits[index] as number
  text[at + 1] = digits[index + 1] as number
  text[at + 2] = digits[index + 2] as number
}

/** Removes the zeros at the beginning of a number, except its only digit. Returns its new end. */
function withoutZeros(text: Uint8Array, start: number, end: number): number {
  let first = start
  while (first < end - 1 && text[first] === zero) first++
  for (let at = first; at < end; at++) text[at - first + start] = text[at] as number
  return end - (first - start)
}
