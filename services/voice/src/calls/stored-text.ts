import type { AgentSpec } from '@ratchet/contracts/voice/agents'
import { redactText } from '@ratchet/redaction/redact-text'
import type { WrittenTurn } from './call.ts'

/** Turns of the keypad begin with it. */
const keypadMark = '[keypad]'

/** Texts of a call as they are stored. */
export interface StoredTexts {
  text(text: string): string
  turn(turn: WrittenTurn): WrittenTurn
}

/** Leaves out keys of the telephone that are secret, values of secret variables and, where the agent says so, credentials. */
export function storedTexts(
  { dtmf, privacy }: Pick<AgentSpec, 'dtmf' | 'privacy'>,
  secretValues: readonly string[],
): StoredTexts {
  const secrets = anyOf(secretValues.filter((value) => value.trim() !== ''))
  const text = (said: string): string => {
    const withoutKeys =
      dtmf.secret && said.includes(keypadMark) ? said.replace(/\[keypad\] [0-9*#A-D ]+/g, keypadMark) : said
    const withoutSecrets = secrets === null ? withoutKeys : withoutKeys.replace(secrets, '[secret]')
    return storable(privacy.redact_transcript ? redactText(withoutSecrets).text : withoutSecrets)
  }
  return {
    text,
    turn: (turn) => ({
      ...turn,
      text: text(turn.text),
      ...(turn.call === undefined ? {} : { call: { ...turn.call, arguments: text(turn.call.arguments) } }),
    }),
  }
}

/**
 * Finds all values in one pass, the longest first. One after the other, a value such as `e` would be found again in what stands in
 * place of another, and fifty of them would make a text of gigabytes.
 */
function anyOf(values: readonly string[]): RegExp | null {
  const longestFirst = [...new Set(values)].toSorted((a, b) => b.length - a.length)
  return longestFirst.length === 0 ? null : new RegExp(longestFirst.map(literal).join('|'), 'g')
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}

function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}
