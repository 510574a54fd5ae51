import { modelOf } from '../../catalog/catalog.fixture.ts'
import { readObject } from '../../wire/chat/read-reply.ts'
import { responsesRequest } from '../../wire/responses/request.fixture.ts'
import { convertRequest } from './convert-request.ts'

const strict = { ...modelOf(), historyReasoning: null }
const reasoning = modelOf({ capabilities: ['chat', 'streaming', 'responses', 'reasoning'] })

function sent(change: object, model = modelOf()) {
  return JSON.parse(String(convertRequest(responsesRequest({ ...change }, model))))
}

it('sends a response`s body without the gateway`s own fields, and disables storage', () => {
  const ours = { models: ['a', 'b'], previous_response_id: 'resp_1', store: true }
  expect(sent({ ...ours, stream: true, seed: 1.5 })).toEqual({
    model: 'fast',
    input: 'hi',
    store: false,
    stream: true,
    seed: 1.5,
  })
})

it.each<[string, object, unknown]>([
  ['when it can be continued by its id', {}, ['reasoning.encrypted_content']],
  ['when it can be continued only by its items', { store: false }, ['reasoning.encrypted_content']],
  ['beside what the client includes', { include: ['a'] }, ['a', 'reasoning.encrypted_content']],
  ['once', { include: ['reasoning.encrypted_content'] }, ['reasoning.encrypted_content']],
])('includes encrypted reasoning of a reasoning model %s', (_name, change, include) => {
  expect(sent(change, reasoning).include).toEqual(include)
  expect(sent({}).include).toBeUndefined()
})

const encrypted = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAA' }
const answer = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'a', annotations: [] }] }
const call = { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' }

it('sends back the items of an answer without ids that the provider would search for', () => {
  const plain = { type: 'reasoning', id: 'rs_2', summary: [] }
  const empty = { ...plain, encrypted_content: null }
  const spoken = { ...plain, content: [{ type: 'reasoning_text', text: 'hm' }] }
  const items = [encrypted, { ...answer, id: 'msg_1' }, plain, { ...call, id: 'fc_1' }, empty, spoken]
  expect(sent({ input: items }, strict).input).toEqual([encrypted, answer, call])
  expect(sent({ input: items }).input).toEqual([encrypted, answer, call, spoken])
})

it('removes the members that another provider added to an item', () => {
  const extra_content = { google: { thought_signature: 'c2ln' } }
  const reasoning_details = [{ type: 'reasoning.text', text: 'hm', signature: 's' }]
  expect(sent({ input: [{ ...call, extra_content, reasoning_details }] }).input).toEqual([call])
})

it('removes the members that OpenAI`s SDKs add to answers', () => {
  const parsed = { ...answer, content: answer.content.map((part) => ({ ...part, parsed: { a: 1 } })) }
  expect(sent({ input: [parsed, { ...call, parsed_arguments: {} }] }).input).toEqual([answer, call])
})

it('sends encrypted reasoning only to the model that wrote it, when that is known', () => {
  const own = { ...encrypted, id: 'rs_own', written_by: 'acme/fast' }
  const foreign = { ...encrypted, id: 'rs_foreign', written_by: 'acme/other' }
  const { written_by, ...readable } = own
  expect(sent({ input: [own, foreign, encrypted] }).input).toEqual([readable, encrypted])
})

it('leaves the bytes of any other input unchanged', () => {
  const input = '[{"role":"user", "content":"1.0"},{"type":"message","role":"user","content":[]}]'
  const request = responsesRequest({ input: 'INPUT' })
  const bytes = Buffer.from(String(request.bytes).replace('"INPUT"', input))
  const read = readObject(bytes)
  if (read === null) throw new Error('not an object')
  expect(String(convertRequest({ ...request, bytes, ...read }))).toContain(`"input":${input}`)
})

it('passes on hosted tools that have a price, with a limit for their calls', () => {
  const price = { per_call: '0.01', max_result_tokens: 1_000 }
  const model = modelOf({ hosted_tools: { web_search: price, code_interpreter: price } })
  const tools = [{ type: 'web_search' }, { type: 'code_interpreter', container: { type: 'auto' } }]
  expect(sent({ tools }, model)).toMatchObject({ tools, max_tool_calls: 4 })
  expect(sent({ tools, max_tool_calls: 9 }, model)).toMatchObject({ tools, max_tool_calls: 9 })
  const named = { type: 'code_interpreter', container: 'cntr_1' }
  const leniency = { dropsParameters: false, dropped: new Set<string>() }
  const request = { ...responsesRequest({ tools: [...tools, named, { type: 'file_search' }] }, model), leniency }
  expect(JSON.parse(String(convertRequest(request)))).toMatchObject({ tools })
  expect([...leniency.dropped]).toEqual(['tools.code_interpreter', 'tools.file_search'])
})
