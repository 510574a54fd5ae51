import type { ToolAnswer } from '@ratchet/contracts/environment-tools'
import { isObject, parseJson } from '@ratchet/service-kit/values/json'

export type AnswerRead = Pick<ToolAnswer, 'result' | 'truncated' | 'done' | 'reward'>

/** Shortest secret whose occurrences are blotted out. Shorter ones would blot out ordinary words. */
const minBlottedLength = 6
/** Shortest part of one: a key without the scheme in front of it, as in `Bearer …`. */
const minPartLength = 8
const blot = '[secret]'

/**
 * Reads what a tool answered: a text, or JSON with `result`, `done` and `reward`. Values of secrets are blotted out, and the text is
 * cut to `maxBytes`; then it is a text, whatever it began as.
 *
 * @param body what was received, somewhat more than `maxBytes` when it was longer
 */
export function readAnswer(
  body: Buffer,
  { maxBytes, secrets }: { readonly maxBytes: number; readonly secrets: readonly string[] },
): AnswerRead {
  const text = blotted(body.toString('utf8'), secrets)
  const bytes = Buffer.from(text)
  if (body.length > maxBytes || bytes.length > maxBytes) {
    return { result: storable(cutText(bytes, maxBytes)), truncated: true, done: false, reward: null }
  }
  const value = parseJson(text)
  if (!isObject(value) || (value.result === undefined && value.reward === undefined)) {
    return { result: storable(text), truncated: false, done: false, reward: null }
  }
  const shown = value.result === undefined ? (value.detail ?? null) : value.result
  // JSON may write the characters of a secret as escapes.
  const result = blotted(textOfResult(shown), secrets)
  return { result, truncated: false, done: value.done === true, reward: rewardOf(value.reward) }
}

/** A result as the model sees it: a text as it is, everything else as JSON. */
export function textOfResult(value: unknown): string {
  return storable(typeof value === 'string' ? value : JSON.stringify(value))
}

function rewardOf(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 && value <= 1 ? value : null
}

export function blotted(text: string, secrets: readonly string[]): string {
  let shown = text
  // The longest first: one may be a part of another.
  const parts = secrets.flatMap((secret) => secret.split(/\s+/).filter(({ length }) => length >= minPartLength))
  const whole = secrets.filter(({ length }) => length >= minBlottedLength)
  for (const secret of [...new Set([...whole, ...parts])].sort((a, b) => b.length - a.length)) {
    shown = shown.replaceAll(secret, blot)
    const inJson = JSON.stringify(secret).slice(1, -1)
    if (inJson !== secret) shown = shown.replaceAll(inJson, blot)
  }
  return shown
}

/** The beginning of a text, without half of a character at its end. */
function cutText(bytes: Buffer, maxBytes: number): string {
  return new TextDecoder().decode(bytes.subarray(0, maxBytes), { stream: true })
}

function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}
