import { type Characters, charactersOf } from './characters-of.ts'

/** How much of a value is looked at: enough to judge it, and a bound on the work. */
const judgedLength = 96

/** Values that documentation shows in place of a secret: `xxxxxxxx`, `YOUR_TOKEN`, `********`, `[redacted]`. */
export function isPlaceholder(value: string): boolean {
  const judged = value.slice(0, judgedLength)
  if (judged.length >= 8 && isMonotonous(judged)) return true
  return (
    /x{6}|X{6}|\*{3}|\.{3}|REDACTED|redacted|PLACEHOLDER|placeholder/.test(judged) ||
    /(?:^|[-_])(?:your|Your|YOUR)/.test(judged)
  )
}

/**
 * Whether a text is one that a generator made rather than a person: letters mixed with digits, or letters that no
 * language would put in this order.
 */
export function looksRandom(value: string): boolean {
  const judged = value.slice(0, judgedLength)
  if (!/\d/.test(judged) && !/[A-Za-z]{16}/.test(judged)) return false
  if (isPlaceholder(judged)) return false
  for (const part of judged.split(/[-_.]/)) if (part.length >= 12 && isMixed(part)) return true
  return judged.length >= 20 && isMixed(judged) && countSwitches(judged) >= judged.length / 4
}

/** Letters with digits among them, or letters alone that cannot be pronounced. */
export function isMixed(value: string): boolean {
  const judged = value.slice(0, judgedLength)
  if (!/[A-Za-z]/.test(judged)) return false
  return /\d/.test(judged) || isUnpronounceable(judged)
}

/**
 * Six consonants in a row, a case that keeps changing, or next to no vowels: no word is made so.
 *
 * @param characters of the value, where they are known.
 */
export function isUnpronounceable(value: string, characters: Characters = charactersOf(value)): boolean {
  if (value.length < 8) return false
  if (characters.hard || characters.vowels < value.length * 0.15) return true
  return characters.zigzag && countSwitches(value) >= value.length / 3
}

/** How often the kind of character changes from one to the next: between upper case, lower case, digit and other. */
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

/** Whether hardly any different characters are used: fewer than four, or five in a long text. */
function isMonotonous(value: string): boolean {
  const seen: number[] = []
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at)
    if (seen.includes(code)) continue
    if (seen.push(code) > (value.length < 16 ? 3 : 4)) return false
  }
  return true
}
