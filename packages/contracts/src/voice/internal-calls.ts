import { z } from 'zod'
import { endpoint } from '../endpoint.ts'

/** A message in the shape of Chat Completions. */
const Message = z.looseObject({ role: z.string() })

export const readConversation = endpoint({
  method: 'post',
  path: '/internal/calls/conversation',
  summary: 'Read a call as it was heard.',
  description:
    'With what the caller heard of the agent, and marks where somebody was interrupted or silent. The log has what models wrote, heard or not.',
  service: 'voice',
  audience: 'internal',
  callers: ['judging'],
  body: z.strictObject({ trace_id: z.string().max(200) }),
  reply: z.object({
    conversation: z
      .object({
        messages: z.array(Message),
        response: Message.describe('The last of them, with the end of the call.'),
        model: z.string(),
      })
      .nullable()
      .describe('Null for a trace that is no call, or whose texts were erased.'),
  }),
})
