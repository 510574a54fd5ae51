import { asObject, type Fields } from '@ratchet/service-kit/values/json'
import { readObject } from '../../wire/chat/read-reply.ts'
import type { ReplyBytes } from '../../wire/provider.ts'
import type { Charged, ReplayContext } from '../surface.ts'
import { streamTail } from './chat-tail.ts'

/** A stream of a complete completion: for each choice one chunk with all of its content and one that ends it. */
export function replayChat({ bytes }: ReplyBytes, charged: Charged, { facts, created }: ReplayContext): string {
  const body = readObject(bytes)?.body ?? {}
  const { choices, usage, ...head } = body
  const chunk = (choice: object) =>
    `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [choice] })}\n\n`
  const frames = (Array.isArray(choices) ? choices : []).flatMap((choice) => {
    const { index, message, logprobs, finish_reason } = asObject(choice) ?? {}
    const delta = deltaOf(asObject(message) ?? {})
    return [
      chunk({ index, delta, logprobs: logprobs ?? null, finish_reason: null }),
      chunk({ index, delta: {}, logprobs: null, finish_reason }),
    ]
  })
  const usageData = usage === undefined ? null : Buffer.from(usageChunk(head, usage))
  const names = { id: textOf(body.id), responseModel: textOf(body.model), created }
  return frames.join('') + streamTail({ includeUsage: facts.includeUsage, usageData, ...names, ...charged })
}

/** A message as a single delta. Its tool calls get an index, because streams identify calls by it. */
function deltaOf({ tool_calls: calls, ...message }: Fields): Fields {
  if (!Array.isArray(calls)) return message
  return { ...message, tool_calls: calls.map((call, index) => ({ index, ...asObject(call) })) }
}

function usageChunk(head: Fields, usage: unknown): string {
  return JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [], usage })
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
