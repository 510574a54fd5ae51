import { z } from 'zod'
import { ChatMessage } from './chat-message.ts'
import { endpoint } from './endpoint.ts'

/**
 * What a person may see of a log entry that they grade blind. Model, alias, arm, price, times and tokens are not sent: each of
 * them would tell the arm of a canary, or what a judge said.
 */
export const BlindLog = z.object({
  object: z.literal('log.blind'),
  id: z.string(),
  messages: z.array(ChatMessage),
  response: ChatMessage.describe("The assistant's message."),
  redaction: z.object({ kinds: z.array(z.string()) }),
})

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
