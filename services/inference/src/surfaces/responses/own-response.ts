import { readObject } from '../../wire/chat/read-reply.ts'
import { editTopLevel } from '../../wire/json/edit-json.ts'
import type { ProviderReply } from '../../wire/provider.ts'
import { responseIdOf } from '../../wire/responses/response-id.ts'
import { wireResponseUsage } from '../../wire/responses/response-usage.ts'
import { finishWithUsage } from '../finish-with-usage.ts'
import type { AnswerContext, Charged } from '../surface.ts'

type Reply = Pick<ProviderReply, 'bytes' | 'scan'>

/**
 * A provider's response object as ours: called by our id, and telling the chain and the storing that the client knows
 * of, which the provider knows nothing of. All other bytes stay what they were.
 */
export function ownResponse({ bytes, scan }: Reply, { request, created }: AnswerContext): Buffer {
  const { previous_response_id, store } = request.body
  return editTopLevel(bytes, scan, {
    id: JSON.stringify(responseIdOf(request.requestId)),
    created_at: String(created),
    previous_response_id: JSON.stringify(previous_response_id ?? null),
    store: JSON.stringify(store ?? true),
  })
}

/** The same with its cost, and with our counts where the provider gave none. */
export function finishResponse(reply: Reply, charged: Charged, context: AnswerContext): Buffer {
  const bytes = ownResponse(reply, context)
  const read = readObject(bytes)
  if (read === null) throw new Error('a response that was read before cannot be read')
  return finishWithUsage({ bytes, scan: read.scan }, charged, wireResponseUsage)
}
