import { readObject } from '../../wire/chat/read-reply.ts'
import { editTopLevel } from '../../wire/json/edit-json.ts'
import type { ReplyBytes } from '../../wire/provider.ts'
import { responseIdOf } from '../../wire/responses/response-id.ts'
import { wireResponseUsage } from '../../wire/responses/response-usage.ts'
import { finishWithUsage } from '../finish-with-usage.ts'
import type { AnswerContext, Charged } from '../surface.ts'

/**
 * Makes the response object of a provider the gateway's own: it gets the gateway's id, and the chain and the storage
 * flag of the client's request, which the provider did not get. All other bytes are unchanged.
 */
export function ownResponse({ bytes, scan }: ReplyBytes, { request, created }: AnswerContext): Buffer {
  const { previous_response_id, store } = request.body
  return editTopLevel(bytes, scan, {
    id: JSON.stringify(responseIdOf(request.requestId)),
    created_at: String(created),
    previous_response_id: JSON.stringify(previous_response_id ?? null),
    store: JSON.stringify(store ?? true),
  })
}

/** Also adds the cost, and the counted usage if the provider reported none. */
export function finishResponse(reply: ReplyBytes, charged: Charged, context: AnswerContext): Buffer {
  const bytes = ownResponse(reply, context)
  const read = readObject(bytes)
  if (read === null) throw new Error('a response that was read before cannot be read')
  return finishWithUsage({ bytes, scan: read.scan }, charged, wireResponseUsage)
}
