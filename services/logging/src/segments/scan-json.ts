import type { Piece } from './prompt-piece.ts'

const MAX_KEYS = 64
const SCHEMA_KEYS = ['properties', '$schema', 'required', 'enum', 'additionalProperties']

export interface ScannedJson {
  piece: Piece
  end: number
}

/** Reads the JSON-like value that opens at `start`; null when it does not close. Reads every character at most once. */
export function scanJson(text: string, start: number): ScannedJson | null {
  const keys = new Set<string>()
  let depth = 0
  let at = start
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === 0x22) {
      const close = closingQuote(text, at + 1)
      if (close === -1) return null
      if (keys.size < MAX_KEYS && isColonAfter(text, close + 1)) addKey(keys, text.slice(at + 1, close))
      at = close
    } else if (code === 0x7b || code === 0x5b) depth += 1
    else if (code === 0x7d || code === 0x5d) {
      depth -= 1
      if (depth === 0) return { piece: jsonPiece(keys), end: at + 1 }
    }
    at += 1
  }
  return null
}

/** True when `{` or `[` at `at` opens an object or a list of objects, not a placeholder or a citation. */
export function opensJson(text: string, at: number): boolean {
  const next = text[at + 1] === ' ' ? text[at + 2] : text[at + 1]
  return text[at] === '{' ? next === '"' : next === '{'
}

/** Skips keys that contain an id or a text, because they are data themselves. */
function addKey(keys: Set<string>, key: string): void {
  if (key.length <= 64 && !/[\d\s@]/.test(key)) keys.add(key)
}

function jsonPiece(keys: ReadonlySet<string>): Piece {
  return { kind: 'json', keys: [...keys].sort(), schema: SCHEMA_KEYS.some((key) => keys.has(key)) }
}

function closingQuote(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 0x5c) at += 1
    else if (code === 0x22) return at
  }
  return -1
}

function isColonAfter(text: string, at: number): boolean {
  return text[at] === ':' || (text[at] === ' ' && text[at + 1] === ':')
}
