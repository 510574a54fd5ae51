import type { AgentSpec } from '@ratchet/contracts/voice/agents'
import { redactText } from '@ratchet/redaction/redact-text'
import type { WrittenTurn } from './call.ts'
import { keysTool } from './keys-tool.ts'

/** Turns of the keypad begin with it. */
const keypadMark = '[keypad]'

/** Texts of a call as they are stored. */
export interface StoredTexts {
  text(text: string): string
  /** Of a tool that a model calls, JSON. */
  arguments(tool: { readonly name: string; readonly arguments: string }): string
  turn(turn: WrittenTurn): WrittenTurn
}

/** Leaves out keys of the telephone that are secret, values of secret variables and, where the agent says so, credentials. */
export function storedTexts(
  { dtmf, privacy }: Pick<AgentSpec, 'dtmf' | 'privacy'>,
  secretValues: readonly string[],
): StoredTexts {
  const secrets = [...new Set(secretValues)]
    .filter((value) => value.trim() !== '')
    .toSorted((a, b) => b.length - a.length)
  const text = (said: string): string => {
    const withoutKeys =
      dtmf.secret && said.includes(keypadMark) ? said.replace(/\[keypad\] [0-9*#A-D ]+/g, keypadMark) : said
    const withoutSecrets = without(withoutKeys, secrets)
    return storable(privacy.redact_transcript ? redactText(withoutSecrets).text : withoutSecrets)
  }
  const argumentsOf: StoredTexts['arguments'] = ({ name, arguments: stated }) =>
    dtmf.secret && name === keysTool ? '{}' : text(stated)
  return {
    text,
    arguments: argumentsOf,
    turn: (turn) => ({
      ...turn,
      text: text(turn.text),
      ...(turn.call === undefined ? {} : { call: { ...turn.call, arguments: argumentsOf(turn.call) } }),
    }),
  }
}

/**
 * A text without values, found in one pass, of several at a place the one that is named first. One after the other, a value such
 * as `e` would be found again in what stands in place of another, and fifty of them would make a text of gigabytes.
 */
function without(text: string, values: readonly string[]): string {
  const found = values.map((value) => ({ value, at: text.indexOf(value) }))
  let shown = ''
  let from = 0
  for (;;) {
    let first: { readonly value: string; readonly at: number } | null = null
    for (const each of found) {
      if (each.at >= 0 && each.at < from) each.at = text.indexOf(each.value, from)
      if (each.at >= 0 && (first === null || each.at < first.at)) first = each
    }
    if (first === null) return shown + text.slice(from)
    shown += `${text.slice(from, first.at)}[secret]`
    from = first.at + first.value.length
  }
}

function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}
