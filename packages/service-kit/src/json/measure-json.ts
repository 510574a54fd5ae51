import { endOfJsonString } from '../values/exact-json.ts'

/** What decides how much time and memory it takes to parse a JSON text, and to write its value again. */
export interface JsonMeasure {
  /** Nesting of objects and arrays, from 0. */
  readonly depth: number
  /** Objects and arrays, and the commas in them: one for each member or element except the first. */
  readonly parts: number
}

/** Measures a text without parsing it, in linear time and constant memory. Only for valid JSON it is more than a guess. */
export function measureJson(text: string): JsonMeasure {
  let [open, depth, parts] = [0, 0, 0]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfJsonString(text, at) - 1
    else if (code === comma) parts += 1
    // A bracket and a brace differ in one bit.
    else if ((code | braceBit) === openBrace) {
      open += 1
      parts += 1
      depth = Math.max(depth, open)
    } else if ((code | braceBit) === closeBrace) open -= 1
  }
  return { depth, parts }
}

const [quote, comma, openBrace, closeBrace] = Array.from('",{}', (mark) => mark.charCodeAt(0))
const braceBit = 0x20
