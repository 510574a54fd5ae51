import { editTopLevel, type JsonEdits } from '@ratchet/service-kit/json/edit-json'
import { isAbsent } from '@ratchet/service-kit/values/json'
import { readObject } from '../../wire/chat/read-reply.ts'
import type { Body } from '../../wire/dialect.ts'
import type { ReplyBytes } from '../../wire/provider.ts'
import { responseIdOf } from '../../wire/responses/response-id.ts'
import { sharedSettings } from '../../wire/responses/response-object.ts'
import { wireResponseUsage } from '../../wire/responses/response-usage.ts'
import { finishWithUsage } from '../finish-with-usage.ts'
import type { AnswerContext, Charged } from '../surface.ts'

/**
 * Makes the response object of a provider the gateway's own: it gets the gateway's id, and the chain and the storage
 * flag of the client's request, which the provider did not get. All other bytes are unchanged.
 */
export function ownResponse({ bytes, scan }: ReplyBytes, { request, created }: AnswerContext): Buffer {
  const { body } = request
  const { previous_response_id, store } = body
  return editTopLevel(bytes, scan, {
    ...missingSettings(scan, body),
    id: JSON.stringify(responseIdOf(request.requestId)),
    created_at: String(created),
    previous_response_id: JSON.stringify(previous_response_id ?? null),
    store: JSON.stringify(store ?? true),
  })
}

/** Members that every response object of OpenAI has, and those of compatible providers may not have. */
function missingSettings({ topLevel }: ReplyBytes['scan'], body: Body): JsonEdits {
  const settings = Object.entries(sharedSettings(body)).filter(([name]) => !topLevel.has(name))
  return {
    ...(isAbsent(body.user) ? { user: undefined } : {}),
    ...(topLevel.has('completed_at') ? {} : { completed_at: 'null' }),
    ...Object.fromEntries(settings.map(([name, value]) => [name, JSON.stringify(value)])),
  }
}

/** Also adds the cost, and the counted usage if the provider reported none. */
export function finishResponse(reply: ReplyBytes, charged: Charged, context: AnswerContext): Buffer {
  const bytes = ownResponse(reply, context)
  const read = readObject(bytes)
  if (read === null) throw new Error('a response that was read before cannot be read')
  const isCompleted = read.body.status === 'completed'
  const completed = editTopLevel(bytes, read.scan, {
    completed_at: isCompleted ? String(charged.completedAt ?? context.created) : 'null',
  })
  const whole = readObject(completed)
  if (whole === null) throw new Error('an edited response cannot be read')
  return finishWithUsage({ bytes: completed, scan: whole.scan }, charged, wireResponseUsage)
}
