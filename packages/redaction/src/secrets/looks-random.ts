import { type Characters, charactersOf } from './characters-of.ts'

/** Characters of a value that are examined. The limit bounds the work. */
const examinedLength = 96

/**
 * True for values that documentation shows in place of a secret: `xxxxxxxx`, `YOUR_TOKEN`, `********`, `[redacted]`.
 */
export function isPlaceholder(value: string): boolean {
  const examined = value.slice(0, examinedLength)
  if (examined.length >= 8 && isMonotonous(examined)) return true
  return (
    /x{6}|X{6}|\*{3}|\.{3}|REDACTED|redacted|PLACEHOLDER|placeholder/.test(examined) ||
    /(?:^|[-_])(?:your|Your|YOUR)/.test(examined)
  )
}

/**
 * True when a text looks generated rather than written by a person: letters mixed with digits, or letters in an order
 * that occurs in no language.
 */
export function looksRandom(value: string): boolean {
  const examined = value.slice(0, examinedLength)
  if (!/\d/.test(examined) && !/[A-Za-z]{16}/.test(examined)) return false
  if (isPlaceholder(examined)) return false
  for (const part of examined.split(/[-_.]/)) if (part.length >= 12 && isMixed(part)) return true
  return examined.length >= 20 && isMixed(examined) && countSwitches(examined) >= examined.length / 4
}

/** True for letters mixed with digits, and for letters that cannot be pronounced. */
export function isMixed(value: string): boolean {
  const examined = value.slice(0, examinedLength)
  if (!/[A-Za-z]/.test(examined)) return false
  return /\d/.test(examined) || isUnpronounceable(examined)
}

/**
 * True when a part without separators mixes letters and digits as generated values do. Words with numbers, such as
 * `layer12_weights` and `AttentionLayer12`, change between them less often.
 */
export function hasGeneratedPart(value: string): boolean {
  return value
    .slice(0, examinedLength)
    .split(/[^0-9A-Za-z]/)
    .some((part) => {
      if (part.length < 12 || !/\d/.test(part) || !/[A-Za-z]/.test(part)) return false
      return countSwitches(part.toLowerCase()) >= part.length / 5 || countSwitches(part) >= part.length / 2.5
    })
}

/**
 * True for six consonants in a row, frequent changes of case, or hardly any vowels, which no word has.
 *
 * @param characters statistics of the value, if the caller has them already.
 */
export function isUnpronounceable(value: string, characters: Characters = charactersOf(value)): boolean {
  if (value.length < 8) return false
  if (characters.hard || characters.vowels < value.length * 0.15) return true
  return characters.zigzag && countSwitches(value) >= value.length / 3
}

/** Counts changes between upper case, lower case, digit and other from one character to the next. */
export function countSwitches(value: string): number {
  let switches = 0
  for (let at = 1; at < value.length; at++) {
    if (classOf(value.charCodeAt(at)) !== classOf(value.charCodeAt(at - 1))) switches++
  }
  return switches
}

function classOf(code: number): number {
  if (code >= 48 && code <= 57) return 0
  if (code >= 65 && code <= 90) return 1
  if (code >= 97 && code <= 122) return 2
  return 3
}

/** True when a text has fewer than four distinct characters, or fewer than five when it is long. */
function isMonotonous(value: string): boolean {
  const seen: number[] = []
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at)
    if (seen.includes(code)) continue
    if (seen.push(code) > (value.length < 16 ? 3 : 4)) return false
  }
  return true
}
