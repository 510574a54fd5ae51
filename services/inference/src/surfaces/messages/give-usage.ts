import { asObject } from '../../wire/chat/chat-chunk.ts'
import { readObject } from '../../wire/chat/read-reply.ts'
import { editMember, editTopLevel } from '../../wire/json/edit-json.ts'

/**
 * The JSON of a `message_start` or `message_delta` with a usage of zeros where the provider left it out: clients add to
 * the one by the other, and break without. Its last `message_delta` tells what it really was.
 */
export function giveUsage(data: Buffer): Buffer {
  const read = readObject(data)
  if (read === null) return data
  const { scan, body } = read
  if (body.type === 'message_delta') {
    return asObject(body.usage) === null ? editTopLevel(data, scan, { usage: '{"output_tokens":0}' }) : data
  }
  const message = asObject(body.message)
  if (message === null || asObject(message.usage) !== null) return data
  const zeros = '{"input_tokens":0,"output_tokens":0}'
  return editTopLevel(data, scan, { message: editMember(data, scan, 'message', { usage: zeros }) })
}
