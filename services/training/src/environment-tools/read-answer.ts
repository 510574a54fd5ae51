import type { ToolAnswer } from '@ratchet/contracts/environment-tools'
import { blotSecrets } from '@ratchet/service-kit/values/blot-secrets'
import { isObject, parseJson } from '@ratchet/service-kit/values/json'

export type AnswerRead = Pick<ToolAnswer, 'result' | 'truncated' | 'done' | 'reward'>

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
  const text = blotSecrets(body.toString('utf8'), secrets)
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
  const result = blotSecrets(textOfResult(shown), secrets)
  return { result, truncated: false, done: value.done === true, reward: rewardOf(value.reward) }
}

/** A result as the model sees it: a text as it is, everything else as JSON. */
export function textOfResult(value: unknown): string {
  return storable(typeof value === 'string' ? value : JSON.stringify(value))
}

function rewardOf(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 && value <= 1 ? value : null
}

/** The beginning of a text, without half of a character at its end. */
function cutText(bytes: Buffer, maxBytes: number): string {
  return new TextDecoder().decode(bytes.subarray(0, maxBytes), { stream: true })
}

function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}
