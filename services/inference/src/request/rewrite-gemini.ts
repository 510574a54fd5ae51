import type { ErrorEnvelope } from '@ratchet/contracts/errors'
import { geminiError } from '@ratchet/contracts/gemini-errors'
import { asList, asObject, asText, type Fields, parseJson } from '@ratchet/service-kit/values/json'
import { CallSlots } from '../wire/chat/call-slots.ts'
import { readObject } from '../wire/chat/read-reply.ts'
import {
  type Candidate,
  callPart,
  candidateOf,
  finishReasonOf,
  geminiAnswer,
  textParts,
} from '../wire/gemini/chat-to-gemini.ts'
import { geminiToChat } from '../wire/gemini/gemini-to-chat.ts'
import { parseBody } from './parse-body.ts'
import type { Rewrite } from './rewritten-exchange.ts'

/** Gemini's API as chat completions. For one request, whose path names the model. */
export function openGeminiRewrite(named: { readonly model: string; readonly stream: boolean }): Rewrite {
  let chunks = new ChunkWriter(false)
  let showsThoughts = false
  return {
    request(bytes) {
      const chat = geminiToChat(parseBody(bytes).body, named)
      showsThoughts = chat.showsThoughts
      chunks = new ChunkWriter(showsThoughts)
      return Buffer.from(JSON.stringify(chat.body))
    },
    reply(bytes) {
      const body = readObject(bytes)?.body
      if (body === undefined || !Array.isArray(body.choices)) return bytes
      const candidates = body.choices.map((choice) => candidateOf(asObject(choice) ?? {}, showsThoughts))
      const { id, model } = body
      return Buffer.from(JSON.stringify(geminiAnswer(candidates, { id, model, usage: asObject(body.usage) })))
    },
    frame: (_raw, data) => chunks.write(data),
  }
}

interface CallDraft {
  id?: unknown
  name: string
  text: string
  extra?: unknown
}

/** What of a candidate is held back until its end: Gemini sends a call in one piece, and the usage with the finish reason. */
interface Held {
  readonly calls: CallSlots<CallDraft>
  finishReason: string | null
}

/** Maximum of any provider. It bounds the memory that a hostile provider can fill. */
const maxCandidates = 128

class ChunkWriter {
  readonly #showsThoughts: boolean
  readonly #held = new Map<number, Held>()
  #head: { readonly id: unknown; readonly model: unknown } = { id: null, model: null }
  #hasEnded = false

  constructor(showsThoughts: boolean) {
    this.#showsThoughts = showsThoughts
  }

  write(data: string): Buffer | null {
    if (data.startsWith('[DONE]')) return this.#hasEnded ? null : this.#end(null)
    const chunk = asObject(parseJson(data))
    if (chunk === null) return null
    if (chunk.error !== undefined) return frameOf(errorOf(asObject(chunk.error) ?? {}))
    this.#head = { id: this.#head.id ?? chunk.id, model: this.#head.model ?? chunk.model }
    const choices = asList(chunk.choices)
    if (choices.length === 0) return chunk.usage === undefined ? null : this.#end(asObject(chunk.usage))
    const candidates = choices.flatMap((choice) => this.#add(asObject(choice) ?? {}))
    return candidates.length === 0 ? null : frameOf(geminiAnswer(candidates, { ...this.#head, usage: null }))
  }

  #add({ index, delta, finish_reason: reason }: Fields): readonly Candidate[] {
    const place = typeof index === 'number' ? index : 0
    const said = asObject(delta) ?? {}
    const held = this.#heldOf(place)
    if (held === null) return []
    for (const [position, call] of asList(said.tool_calls).entries()) addCall(held, asObject(call) ?? {}, position)
    held.finishReason = finishReasonOf(reason) ?? held.finishReason
    const parts = textParts(said, this.#showsThoughts)
    return parts.length === 0 ? [] : [{ index: place, parts, finishReason: null }]
  }

  /** Null for a candidate beyond those that an answer may have. */
  #heldOf(index: number): Held | null {
    const known = this.#held.get(index)
    if (known !== undefined) return known
    if (this.#held.size >= maxCandidates) return null
    const held = { calls: new CallSlots<CallDraft>(() => ({ name: '', text: '' })), finishReason: null }
    this.#held.set(index, held)
    return held
  }

  #end(usage: Fields | null): Buffer {
    this.#hasEnded = true
    const candidates = [...this.#held].map(([index, { calls, finishReason }]) => ({
      index,
      parts: [...calls.all].flatMap(({ call: { id, name, text, extra } }) =>
        callPart({ id, function: { name, arguments: text }, extra_content: extra }),
      ),
      finishReason,
    }))
    return frameOf(geminiAnswer(candidates, { ...this.#head, usage }))
  }
}

function addCall({ calls }: Held, call: Fields, position: number): void {
  const { name, arguments: text } = asObject(call.function) ?? {}
  const draft = calls.of({ index: call.index, id: call.id, name }, position)
  if (draft === null) return
  draft.id ??= call.id
  draft.extra ??= call.extra_content
  if (draft.name === '') draft.name = asText(name) ?? ''
  draft.text += asText(text) ?? ''
}

function frameOf(answer: object): Buffer {
  return Buffer.from(`data: ${JSON.stringify(answer)}\r\n\r\n`)
}

function errorOf({ message, ...error }: Fields): object {
  const said = { ...error, message: asText(message) ?? 'The provider failed.' }
  return geminiError({ error: said } as ErrorEnvelope)
}
