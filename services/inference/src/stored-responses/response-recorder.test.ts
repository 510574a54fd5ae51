import { asList, asObject } from '@ratchet/service-kit/values/json'
import { readObject } from '../wire/chat/read-reply.ts'
import type { Body } from '../wire/dialect.ts'
import { requestIdOf, responseIdOf } from '../wire/responses/response-id.ts'
import { said, testRecorder, text, workspaceId } from './recorder.fixture.ts'

const days = 86_400_000

/** What identifies an item in these tests. */
const idOf = (value: unknown) => {
  const { id, call_id, content } = asObject(value) ?? {}
  return id ?? call_id ?? (typeof content === 'string' ? content : asObject(asList(content)[0])?.text)
}
const shown = (value: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text: value }] })

it('leaves a request unchanged that continues no response', async () => {
  const { prepare } = testRecorder()
  const { read, storeAs, storeIsOff } = await prepare({ input: 'hi', temperature: 1 })
  expect(String(read.bytes)).toBe('{"model":"acme/fast","input":"hi","temperature":1}')
  expect(storeAs).toMatchObject({
    workspaceId,
    previousId: null,
    inputItems: [{ ...shown('hi'), status: 'completed', id: expect.any(String) }],
  })
  expect(storeIsOff).toBe(false)
})

it('puts all earlier items into the input, the oldest first and without their ids', async () => {
  const { ask, inputOf } = testRecorder()
  const call = { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'f', arguments: '{}', status: 'completed' }
  const first = await ask({ input: 'one' }, [call])
  const output = { type: 'function_call_output', call_id: 'c1', output: '1' }
  const second = await ask({ input: [output], previous_response_id: first }, [said('msg_1', 'done')])
  expect(await inputOf({ input: 'two', previous_response_id: second })).toEqual([
    shown('one'),
    { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
    output,
    { type: 'message', role: 'assistant', content: [text('done')] },
    { type: 'message', role: 'user', content: 'two' },
  ])
})

it('preserves a chain`s reasoning, and removes reasoning that is only an id', async () => {
  const { ask, inputOf } = testRecorder()
  const encrypted = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAA' }
  const plain = { type: 'reasoning', id: 'rs_2', summary: [], content: [{ type: 'reasoning_text', text: 'hm' }] }
  const empty = { type: 'reasoning', id: 'rs_3', summary: [] }
  const previous_response_id = await ask({ input: 'one' }, [encrypted, plain, empty, said('msg_1', 'done')])
  const input = asList(await inputOf({ input: 'two', previous_response_id }))
  expect(input.filter((item) => asObject(item)?.type === 'reasoning')).toEqual([
    { ...encrypted, written_by: 'acme/fast' },
    { ...plain, written_by: 'acme/fast' },
  ])
})

it('removes reasoning that was cut off before another item', async () => {
  const { ask, inputOf } = testRecorder()
  const reasoning = (id: string) => ({ type: 'reasoning', id, summary: [], encrypted_content: 'gAAA' })
  const cut = { status: 'incomplete' }
  const first = await ask({ input: 'one' }, [reasoning('rs_1'), said('msg_1', 'done'), reasoning('rs_2')], { cut })
  const second = await ask({ input: 'two', previous_response_id: first }, [reasoning('rs_3')], { cut })
  const third = await ask({ input: 'three', previous_response_id: second }, [
    { ...said('msg_2', ''), content: [], status: 'incomplete' },
  ])
  expect(asList(await inputOf({ input: 'four', previous_response_id: third })).map(idOf)).toEqual([
    'one',
    'rs_1',
    'done',
    'two',
    'three',
    'four',
  ])
})

it('removes a call that was cut off, with the reasoning before it', async () => {
  const { ask, inputOf } = testRecorder()
  const call = (call_id: string, text: string) => ({ type: 'function_call', call_id, name: 'f', arguments: text })
  const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAA' }
  const output = [said('msg_1', 'Looking.'), reasoning, call('c1', '{}'), call('c2', '{"city":"Os')]
  const whole = await ask({ input: 'one' }, output)
  expect(asList(await inputOf({ input: 'two', previous_response_id: whole })).map(idOf)).toEqual([
    'one',
    'Looking.',
    'rs_1',
    'c1',
    'two',
  ])
  const cut = await ask({ input: 'one' }, output, { cut: { status: 'incomplete' } })
  expect(asList(await inputOf({ input: 'two', previous_response_id: cut })).map(idOf)).toEqual([
    'one',
    'Looking.',
    'two',
  ])
})

it('keeps a call that was cut off but answered, in a readable form', async () => {
  const { ask, inputOf } = testRecorder()
  const call = { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'f', arguments: '{"city":"Os' }
  const answer = { type: 'function_call_output', call_id: 'c1', output: '1' }
  const first = await ask({ input: 'one' }, [call], { cut: { status: 'incomplete' } })
  const readable = { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' }
  expect(await inputOf({ input: [answer], previous_response_id: first })).toEqual([shown('one'), readable, answer])
  const second = await ask({ input: [answer], previous_response_id: first })
  expect(asList(await inputOf({ input: 'two', previous_response_id: second })).slice(0, 3)).toEqual([
    shown('one'),
    readable,
    answer,
  ])
})

it('preserves the members that a provider requires back with its calls', async () => {
  const { ask, inputOf } = testRecorder()
  const extra_content = { google: { thought_signature: 'c2ln' } }
  const call = { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'f', arguments: '{}', extra_content }
  const previous_response_id = await ask({ input: 'one' }, [call])
  const answer = { type: 'function_call_output', call_id: 'c1', output: '1' }
  expect(asList(await inputOf({ input: [answer], previous_response_id }))[1]).toMatchObject({ extra_content })
})

it('returns the origin of every item of the input', async () => {
  const { ask, prepare } = testRecorder()
  const encrypted = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAA' }
  const plain = { type: 'reasoning', id: 'rs_2', summary: [] }
  const previous_response_id = await ask({ input: 'one' }, [encrypted, plain, said('msg_1', 'done')])
  const input = [
    { type: 'item_reference', id: 'rs_2' },
    { type: 'item_reference', id: 'rs_1' },
    { type: 'item_reference', id: 'msg_1' },
    { role: 'user', content: 'two' },
  ]
  expect((await prepare({ input, previous_response_id })).places).toEqual([null, null, null, 1, 2, 3])
  expect((await prepare({ input })).places).toEqual([1, 2, 3])
  expect((await prepare({ input: 'two', previous_response_id })).places).toEqual([null, null, null, 'whole'])
  expect((await prepare({ input: 'two' })).places).toBeNull()
  expect(asList((await prepare({ input })).read.body.input)[0]).toEqual({ ...encrypted, written_by: 'acme/fast' })
})

it('does not repeat earlier instructions, and changes nothing else in the body', async () => {
  const { ask, prepare } = testRecorder()
  const previous_response_id = await ask({ input: 'one', instructions: 'Be brief.' })
  const { read } = await prepare({ temperature: 0.5, input: 'two', previous_response_id })
  expect(read.body).toEqual({ model: 'acme/fast', temperature: 0.5, previous_response_id, input: expect.any(Array) })
  expect(readObject(read.bytes)?.body).toEqual(read.body)
})

it('resolves a reference to an output item of an earlier response', async () => {
  const { ask, prepare } = testRecorder()
  await ask({ input: 'one' }, [said('msg_1', 'done')])
  const { read, storeAs } = await prepare({
    input: [
      { type: 'item_reference', id: 'msg_1' },
      { role: 'user', content: 'two' },
    ],
  })
  expect(read.body.input).toEqual([
    { type: 'message', role: 'assistant', content: [text('done')] },
    { role: 'user', content: 'two' },
  ])
  expect(storeAs?.inputItems[0]).toEqual(said('msg_1', 'done'))
})

it.each(['msg_2', 'msg_\u0000', ''])('names a reference without an item: %j', async (id) => {
  const { ask, prepare } = testRecorder()
  await ask({ input: 'one' }, [said('msg_1', 'done')])
  await ask({ input: 'one' }, [said('msg_2', 'secret')], { workspaceId: '00000000-0000-7000-8000-0000000000bb' })
  const input = [
    { type: 'item_reference', id: 'msg_1' },
    { type: 'item_reference', id },
  ]
  await expect(prepare({ input })).rejects.toMatchObject({ code: 'invalid_request', param: 'input.1.id' })
})

it('answers for a response of another workspace exactly as for an unknown one', async () => {
  const { ask, prepare } = testRecorder()
  const foreign = await ask({ input: 'one' }, [], { workspaceId: '00000000-0000-7000-8000-0000000000bb' })
  const refusals = await Promise.all(
    [foreign, responseIdOf('00000000-0000-7000-8000-00000000ffff'), 'resp_x', ''].map((previous_response_id) =>
      prepare({ input: 'two', previous_response_id }).catch(({ code, message, param }) => ({ code, message, param })),
    ),
  )
  expect(refusals[0]).toMatchObject({ code: 'previous_response_not_found', param: 'previous_response_id' })
  expect(new Set(refusals.map((refusal) => JSON.stringify(refusal))).size).toBe(1)
})

it('has no chain after a response of it was deleted or is 30 days old', async () => {
  const { ask, inputOf, store, clock } = testRecorder()
  const first = await ask({ input: 'one' })
  clock.ms += 29 * days
  const second = await ask({ input: 'two', previous_response_id: first })
  expect(await inputOf({ input: 'three', previous_response_id: second })).toHaveLength(3)
  clock.ms += days
  await expect(inputOf({ input: 'three', previous_response_id: second })).rejects.toMatchObject({
    code: 'previous_response_not_found',
  })
  const third = await ask({ input: 'one' })
  const fourth = await ask({ input: 'two', previous_response_id: third })
  await store.delete({ workspaceId, id: requestIdOf(third) ?? '' }, new Date(clock.ms))
  await expect(inputOf({ input: 'three', previous_response_id: fourth })).rejects.toMatchObject({
    code: 'previous_response_not_found',
  })
})

it.each([
  ['stores by default', {}, true, { stored: true, off: false, store: undefined }],
  ['stores when the request requests it', { store: true }, true, { stored: true, off: false, store: true }],
  ['stores nothing when the request forbids it', { store: false }, true, { stored: false, off: false, store: false }],
  ['stores nothing while logging is off, and reports that', {}, false, { stored: false, off: true, store: false }],
  [
    'reports that also when the request requests storage',
    { store: true },
    false,
    { stored: false, off: true, store: false },
  ],
  [
    'reports nothing when the request forbids storage',
    { store: false },
    false,
    { stored: false, off: false, store: false },
  ],
])('%s', async (_name, change, loggingEnabled, expected) => {
  const { read, storeAs, storeIsOff } = await testRecorder().prepare({ input: 'hi', ...change }, { loggingEnabled })
  expect({ stored: storeAs !== null, off: storeIsOff, store: read.body.store }).toEqual(expected)
})

it('continues a stored response while nothing new is stored', async () => {
  const { ask, prepare } = testRecorder()
  const previous_response_id = await ask({ input: 'one' })
  const { read, storeAs } = await prepare({ input: 'two', previous_response_id, store: false })
  expect(read.body.input).toHaveLength(2)
  expect(storeAs).toBeNull()
})

it('refuses a chain that is larger than a request may be', async () => {
  const { ask, inputOf } = testRecorder()
  const large = 'x'.repeat(4 * 1024 * 1024)
  const first = await ask({ input: large })
  const second = await ask({ input: large, previous_response_id: first })
  const tooLarge = { code: 'request_too_large', param: 'previous_response_id' }
  await expect(inputOf({ input: large, previous_response_id: second })).rejects.toMatchObject(tooLarge)
  const third = await ask({ input: 'small', previous_response_id: second }, [said('msg_1', large)])
  await expect(inputOf({ input: 'small', previous_response_id: third })).rejects.toMatchObject(tooLarge)
})

describe('a response whose request turned the log off', () => {
  it('marks every later one of its chain, and what refers to its items', async () => {
    const { ask, prepare } = testRecorder()
    const unlogged = await ask({ input: 'a' }, [said('msg_secret', 'b')], { isUnlogged: true })
    const next = await ask({ input: 'c', previous_response_id: unlogged }, [said('msg_next', 'd')])
    const last = await ask({ input: 'e', previous_response_id: next })
    const marked = async (body: Body) => (await prepare(body)).containsUnlogged
    for (const previous_response_id of [unlogged, next, last]) {
      expect(await marked({ input: 'f', previous_response_id })).toBe(true)
    }
    for (const id of ['msg_secret', 'msg_next']) {
      expect(await marked({ input: [{ type: 'item_reference', id }] })).toBe(true)
    }
    expect(await marked({ input: 'g', previous_response_id: await ask({ input: 'h' }) })).toBe(false)
  })
})
