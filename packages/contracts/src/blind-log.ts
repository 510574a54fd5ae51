import { z } from 'zod'
import { ChatMessage } from './chat-message.ts'
import { endpoint } from './endpoint.ts'
import { storable } from './storable.ts'

/**
 * What a person may see of a log entry or a run that they grade blind. Model, alias, arm, price, times and tokens are not sent:
 * each of them would tell the arm of a canary, or what a judge said. Messages have the same form for each provider: `role`,
 * `content`, `name`, `tool_calls` with ids `call_1`, `call_2` and so on, and `tool_call_id`.
 */
const conversation = {
  id: z.string(),
  messages: z.array(ChatMessage),
  response: ChatMessage.describe("The assistant's last message."),
  redaction: z.object({ kinds: z.array(z.string()) }),
}

export const BlindLog = z.object({ object: z.literal('log.blind'), ...conversation })
export const BlindRun = z.object({ object: z.literal('trace.blind'), ...conversation })

export const readBlindLog = endpoint({
  method: 'get',
  path: '/session/logs/:id/blind',
  summary: 'Read a log entry to grade it blind.',
  description: 'Only its conversation.',
  service: 'logging',
  audience: 'session',
  permission: 'any',
  params: z.strictObject({ id: z.string() }),
  reply: BlindLog,
  errors: ['logging_disabled', 'not_found', 'unknown_parameter'],
})

export const readBlindRun = endpoint({
  method: 'get',
  path: '/session/traces/:trace_id/blind',
  summary: 'Read a run to grade it blind.',
  description: 'Only the conversation of its last step.',
  service: 'logging',
  audience: 'session',
  permission: 'any',
  params: z.strictObject({ trace_id: storable(z.string()) }),
  reply: BlindRun,
  errors: ['logging_disabled', 'not_found', 'unknown_parameter'],
})
