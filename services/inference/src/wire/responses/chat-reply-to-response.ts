import { asList, asObject, type Fields } from '@ratchet/service-kit/values/json'
import { usageOf } from '../chat/chat-chunk.ts'
import { readUsage } from '../chat/read-usage.ts'
import type { Body } from '../dialect.ts'
import type { ProviderRequest } from '../provider.ts'
import { createResponseDraft } from './response-draft.ts'
import { endOf, readHead, responseObject } from './response-object.ts'

/** The response object of a chat completion; null when it has no message. */
export function chatReplyToResponse(chat: Body, request: ProviderRequest): Buffer | null {
  const choice = asObject(asList(chat.choices)[0])
  const message = asObject(choice?.message)
  if (choice === null || message === null) return null
  const end = endOf(choice.finish_reason)
  const draft = createResponseDraft(request, () => undefined)
  draft.add(withIndexes(message), choice.logprobs)
  draft.finish(end.status)
  const usage = readUsage(usageOf(chat))
  return Buffer.from(JSON.stringify(responseObject(request, readHead(chat), { ...end, output: draft.items, usage })))
}

/** Calls of an unstreamed message have no index, so they get their place in the list. */
function withIndexes({ tool_calls, ...message }: Fields): Fields {
  const calls = asList(tool_calls)
  if (calls.length === 0) return message
  return { ...message, tool_calls: calls.map((call, index) => ({ ...asObject(call), index })) }
}
