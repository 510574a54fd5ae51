import { createHash } from 'node:crypto'
import { asObject, type Fields } from '@ratchet/service-kit/values/json'
import type { ToolCall } from '../../wire/chat/write-chat.ts'
import type { Usage } from '../../wire/usage.ts'
import { readUsage } from './read-usage.ts'
import { extraContentOf } from './thought-signature.ts'

export interface SaidText {
  readonly kind: 'text' | 'thought'
  readonly text: string
}

export interface SaidCall {
  readonly kind: 'call'
  readonly call: Fields
  readonly signature: string | null
}

/** One part of an answer. */
export type Said = SaidText | SaidCall

/** An answer of `generateContent`, or a chunk of `streamGenerateContent`, which has the same format. */
export interface Answer {
  readonly id: string | null
  readonly model: string | null
  readonly said: readonly Said[]
  /** Why the candidate ended, or why the prompt was blocked; null while it continues. */
  readonly finishReason: string | null
  /** The usage of the whole answer up to here; null when Google reported none. */
  readonly usage: Usage | null
}

/** Null when the body is not such an answer. */
export function readAnswer(body: Fields): Answer | null {
  const candidates = body.candidates ?? []
  if (!Array.isArray(candidates)) return null
  const candidate = asObject(candidates[0])
  const blockReason = nameIn(asObject(body.promptFeedback)?.blockReason)
  const said = readParts(asObject(candidate?.content)?.parts ?? [])
  const usage = readUsage(body.usageMetadata)
  if (said === null || (candidate === null && blockReason === null && usage === null)) return null
  return {
    id: nameIn(body.responseId),
    model: nameIn(body.modelVersion),
    said,
    finishReason: nameIn(candidate?.finishReason) ?? blockReason,
    usage,
  }
}

/**
 * A call in the format of OpenAI.
 *
 * @param seed names the answer, for calls without an id of Google
 * @param index of the call in the answer
 */
export function toolCallOf({ call, signature }: SaidCall, seed: string, index: number): ToolCall {
  const id = nameIn(call.id) ?? `call_${createHash('sha256').update(`${seed} ${index}`).digest('hex').slice(0, 24)}`
  return {
    id,
    name: String(call.name),
    arguments: JSON.stringify(asObject(call.args) ?? {}),
    ...(signature === null ? {} : { extraContent: extraContentOf(signature) }),
  }
}

function readParts(parts: unknown): Said[] | null {
  if (!Array.isArray(parts)) return null
  const said: Said[] = []
  for (const each of parts) {
    const part = asObject(each) ?? {}
    if (typeof part.text === 'string' && part.text !== '') {
      said.push({ kind: part.thought === true ? 'thought' : 'text', text: part.text })
    }
    if (part.functionCall === undefined) continue
    const call = asObject(part.functionCall)
    if (call === null || typeof call.name !== 'string') return null
    const signature = typeof part.thoughtSignature === 'string' ? part.thoughtSignature : null
    said.push({ kind: 'call', call, signature })
  }
  return said
}

const MAX_NAME_LENGTH = 256

function nameIn(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.slice(0, MAX_NAME_LENGTH) : null
}
