import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { editTopLevel } from '@ratchet/service-kit/json/edit-json'
import { asList, asObject } from '@ratchet/service-kit/values/json'
import { readObject } from '../wire/chat/read-reply.ts'
import { parseBody } from './parse-body.ts'
import type { Rewrite } from './rewritten-exchange.ts'

/** Members of a request for a compaction. All others have no meaning for it. */
const members: ReadonlySet<string> = new Set([
  'model',
  'models',
  'input',
  'instructions',
  'previous_response_id',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
])

/** A compaction as a response: of the same input, never stored and never streamed. */
export const compactionRewrite: Rewrite = {
  request(bytes) {
    const { scan, body } = parseBody(bytes)
    if (body.stream === true) {
      throw new ServiceError('unsupported_parameter', 'A compaction is not streamed.', { param: 'stream' })
    }
    const others = Object.keys(body).filter((name) => !members.has(name))
    return editTopLevel(bytes, scan, {
      ...Object.fromEntries(others.map((name) => [name, undefined])),
      store: 'false',
    })
  },
  reply(bytes) {
    const { id, created_at, model, output, usage } = readObject(bytes)?.body ?? {}
    const items = asList(output).flatMap(compactedItem)
    return Buffer.from(JSON.stringify({ id, object: 'response.compaction', created_at, model, output: items, usage }))
  },
  frame: (raw) => raw,
}

/** A summary becomes a message of the user, because some providers take no conversation that begins with an answer. */
function compactedItem(value: unknown): unknown[] {
  const item = asObject(value)
  if (item?.type === 'reasoning') return []
  if (item?.type !== 'message') return [value]
  const content = asList(item.content).flatMap((part) => {
    const { type, text } = asObject(part) ?? {}
    return type === 'output_text' ? [{ type: 'input_text', text }] : []
  })
  return [{ ...item, role: 'user', content }]
}
