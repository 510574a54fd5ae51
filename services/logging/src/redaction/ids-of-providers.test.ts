import { createHash } from 'node:crypto'
import { redactExchange } from './redact-exchange.ts'

const hex = (length: number, seed = 'id') => createHash('sha512').update(seed).digest('hex').slice(0, length)
const alnum = (length: number) => createHash('sha512').update('id').digest('base64').replace(/\W/g, '').slice(0, length)
const uuid = `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`

/** Ids of calls, responses and items, as providers and their hosts write them. */
const ids: readonly string[] = [
  `call_${alnum(24)}`,
  `call_${hex(32)}`,
  `call_${uuid}`,
  `call-${uuid}`,
  `fc_${hex(48)}`,
  `fc-${hex(32)}`,
  `fc-${uuid}`,
  `key_${hex(64)}`,
  `ctc_${hex(50)}`,
  `rs_${hex(50)}`,
  `msg_${hex(50)}`,
  `resp_${hex(50)}`,
  `ws_${hex(50)}`,
  `ci_${hex(50)}`,
  `chatcmpl-${alnum(29)}`,
  `chatcmpl-tool-${hex(32)}`,
  `toolu_01${alnum(22)}`,
  `toolu_bdrk_01${alnum(22)}`,
  `srvtoolu_01${alnum(22)}`,
  `tooluse_${alnum(22)}`,
  `msg_01${alnum(22)}`,
  `gen-1700000000-${alnum(20)}`,
  `functions.get_weather:0`,
  alnum(9),
  uuid,
]

it.each(ids)('an id like %s is no secret, as the id of a call or in JSON that quotes one', (id) => {
  const exchange = {
    messages: [
      { role: 'assistant', tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: id, content: `{"call_id":"${id}","item_id": "${id}"}` },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id }] },
      { role: 'user', content: `Continue previous_response_id=${id}` },
    ],
    response: { id, role: 'assistant', content: 'Done.' },
  }
  const { redaction, ...rest } = redactExchange(exchange)
  expect([redaction.count, rest]).toEqual([0, exchange])
})

it.each([`fc-${hex(32)}`, `key_${hex(64)}`])('but %s is one where no id stands', (key) => {
  const { redaction } = redactExchange({ messages: [{ role: 'user', content: `Use ${key} from now on.` }] })
  expect(redaction.count).toBe(1)
  const named = redactExchange({ messages: [{ role: 'user', content: `FIRECRAWL_API_KEY=${key}` }] })
  expect(named.redaction.count).toBe(1)
})

it.each(['api_key_id=', 'id: ', '"secret_id": "'])('and %sfc-… is one, because people write keys so', (name) => {
  const { redaction } = redactExchange({ messages: [{ role: 'user', content: `Use ${name}fc-${hex(32)}" here.` }] })
  expect(redaction.count).toBe(1)
})

it.each(['toolCallId', 'call_id', 'prompt_cache_key'])('but not behind the name %s', (name) => {
  const { redaction } = redactExchange({ messages: [{ role: 'user', content: `{\\"${name}\\":\\"fc-${hex(32)}\\"}` }] })
  expect(redaction.count).toBe(0)
})
