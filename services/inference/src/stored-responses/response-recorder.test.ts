import { countingUuids } from '@ratchet/testing/counting-ids'
import { readObject } from '../wire/chat/read-reply.ts'
import type { Body } from '../wire/dialect.ts'
import { asList, asObject } from '../wire/responses/fields.ts'
import { requestIdOf, responseIdOf } from '../wire/responses/response-id.ts'
import { createMemoryResponses } from './memory-responses.ts'
import { createResponseRecorder } from './response-recorder.ts'

const workspaceId = '00000000-0000-7000-8000-0000000000aa'
const start = Date.parse('2026-03-01T00:00:00Z')
const days = 86_400_000

/** A keeper over memory, and a client of one workspace that asks through it. */
function testHook() {
  const store = createMemoryResponses()
  const clock = { ms: start }
  const completionHook = createResponseRecorder({ store, now: () => new Date(clock.ms) })
  const newId = countingUuids()
  const prepare = (body: Body, more: { workspaceId?: string; loggingEnabled?: boolean; requestId?: string } = {}) => {
    const bytes = Buffer.from(JSON.stringify({ model: 'acme/fast', ...body }))
    const read = readObject(bytes)
    if (read === null) throw new Error('not an object')
    return completionHook.prepare({ requestId: newId(), workspaceId, loggingEnabled: true, bytes, ...read, ...more })
  }
  /** Asks and gets these output items; answers the response's id. */
  const ask = async (
    body: Body,
    output: object[] = [],
    { cut = {}, ...more }: Parameters<typeof prepare>[1] & { cut?: object } = {},
  ) => {
    const requestId = newId()
    const { storeAs } = await prepare(body, { requestId, ...more })
    const id = responseIdOf(requestId)
    const reply = Buffer.from(JSON.stringify({ id, object: 'response', status: 'completed', output, ...cut }))
    if (storeAs !== null) await completionHook.keep(storeAs, { reply, model: 'acme/fast' })
    return id
  }
  const inputOf = async (body: Body) => (await prepare(body)).read.body.input
  return { store, clock, prepare, ask, inputOf }
}

const text = (value: string) => ({ type: 'output_text', text: value, annotations: [] })
const said = (id: string, value: string) => ({
  type: 'message',
  id,
  role: 'assistant',
  status: 'completed',
  content: [text(value)],
})
/** What an item is known by in these tests. */
const idOf = (value: unknown) => {
  const { id, call_id, content } = asObject(value) ?? {}
  return id ?? call_id ?? (typeof content === 'string' ? content : asObject(asList(content)[0])?.text)
}
const shown = (value: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text: value }] })

it('leaves a request alone that goes on from nothing', async () => {
  const { prepare } = testHook()
  const { read, storeAs, storeIsOff } = await prepare({ input: 'hi', temperature: 1 })
  expect(String(read.bytes)).toBe('{"model":"acme/fast","input":"hi","temperature":1}')
  expect(storeAs).toMatchObject({
    workspaceId,
    previousId: null,
    inputItems: [{ ...shown('hi'), status: 'completed', id: expect.any(String) }],
  })
  expect(storeIsOff).toBe(false)
})

it('puts everything before a request into its input, the oldest first and without the ids it was kept by', async () => {
  const { ask, inputOf } = testHook()
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

it('keeps a chain`s encrypted reasoning whole, and leaves out reasoning that no provider could read', async () => {
  const { ask, inputOf } = testHook()
  const encrypted = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAA' }
  const plain = { type: 'reasoning', id: 'rs_2', summary: [], content: [{ type: 'reasoning_text', text: 'hm' }] }
  const previous_response_id = await ask({ input: 'one' }, [encrypted, plain, said('msg_1', 'done')])
  const input = asList(await inputOf({ input: 'two', previous_response_id }))
  expect(input.filter((item) => asObject(item)?.type === 'reasoning')).toEqual([
    { ...encrypted, written_by: 'acme/fast' },
  ])
})

it('leaves out reasoning that was cut off before it led to anything', async () => {
  const { ask, inputOf } = testHook()
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

it('leaves out a call that was cut off, with the reasoning that led to it', async () => {
  const { ask, inputOf } = testHook()
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

it('keeps a call that was cut off and yet answered, now or later, in a form that can be read', async () => {
  const { ask, inputOf } = testHook()
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

it('carries on what a provider wants back with its calls', async () => {
  const { ask, inputOf } = testHook()
  const extra_content = { google: { thought_signature: 'c2ln' } }
  const call = { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'f', arguments: '{}', extra_content }
  const previous_response_id = await ask({ input: 'one' }, [call])
  const answer = { type: 'function_call_output', call_id: 'c1', output: '1' }
  expect(asList(await inputOf({ input: [answer], previous_response_id }))[1]).toMatchObject({ extra_content })
})

it('tells where every item of the input came from', async () => {
  const { ask, prepare } = testHook()
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

it('does not carry instructions on, and changes nothing else of the body', async () => {
  const { ask, prepare } = testHook()
  const previous_response_id = await ask({ input: 'one', instructions: 'Be brief.' })
  const { read } = await prepare({ temperature: 0.5, input: 'two', previous_response_id })
  expect(read.body).toEqual({ model: 'acme/fast', temperature: 0.5, previous_response_id, input: expect.any(Array) })
  expect(readObject(read.bytes)?.body).toEqual(read.body)
})

it('resolves a reference to an output item of an earlier response', async () => {
  const { ask, prepare } = testHook()
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

it.each(['msg_2', 'msg_\u0000', ''])('says which reference names nothing: %j', async (id) => {
  const { ask, prepare } = testHook()
  await ask({ input: 'one' }, [said('msg_1', 'done')])
  await ask({ input: 'one' }, [said('msg_2', 'secret')], { workspaceId: '00000000-0000-7000-8000-0000000000bb' })
  const input = [
    { type: 'item_reference', id: 'msg_1' },
    { type: 'item_reference', id },
  ]
  await expect(prepare({ input })).rejects.toMatchObject({ code: 'invalid_request', param: 'input.1.id' })
})

it('answers for a foreign response what it answers for one that never was, to the byte', async () => {
  const { ask, prepare } = testHook()
  const foreign = await ask({ input: 'one' }, [], { workspaceId: '00000000-0000-7000-8000-0000000000bb' })
  const refusals = await Promise.all(
    [foreign, responseIdOf('00000000-0000-7000-8000-00000000ffff'), 'resp_x', ''].map((previous_response_id) =>
      prepare({ input: 'two', previous_response_id }).catch(({ code, message, param }) => ({ code, message, param })),
    ),
  )
  expect(refusals[0]).toMatchObject({ code: 'previous_response_not_found', param: 'previous_response_id' })
  expect(new Set(refusals.map((refusal) => JSON.stringify(refusal))).size).toBe(1)
})

it('has no chain any more once a response of it is deleted or 30 days old', async () => {
  const { ask, inputOf, store, clock } = testHook()
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
  ['stores by default', {}, true, { kept: true, off: false, store: undefined }],
  ['stores when asked to', { store: true }, true, { kept: true, off: false, store: true }],
  ['stores nothing when asked not to', { store: false }, true, { kept: false, off: false, store: false }],
  ['stores nothing while logging is off, and says so', {}, false, { kept: false, off: true, store: false }],
  ['says so also when it was asked to', { store: true }, false, { kept: false, off: true, store: false }],
  [
    'has nothing to say when nothing was to be stored',
    { store: false },
    false,
    { kept: false, off: false, store: false },
  ],
])('%s', async (_name, change, loggingEnabled, expected) => {
  const { read, storeAs, storeIsOff } = await testHook().prepare({ input: 'hi', ...change }, { loggingEnabled })
  expect({ kept: storeAs !== null, off: storeIsOff, store: read.body.store }).toEqual(expected)
})

it('goes on from a stored response also while nothing new is stored', async () => {
  const { ask, prepare } = testHook()
  const previous_response_id = await ask({ input: 'one' })
  const { read, storeAs } = await prepare({ input: 'two', previous_response_id, store: false })
  expect(read.body.input).toHaveLength(2)
  expect(storeAs).toBeNull()
})

it('refuses a chain that is larger than a request may be', async () => {
  const { ask, inputOf } = testHook()
  const large = 'x'.repeat(4 * 1024 * 1024)
  const first = await ask({ input: large })
  const second = await ask({ input: large, previous_response_id: first })
  const tooLarge = { code: 'request_too_large', param: 'previous_response_id' }
  await expect(inputOf({ input: large, previous_response_id: second })).rejects.toMatchObject(tooLarge)
  const third = await ask({ input: 'small', previous_response_id: second }, [said('msg_1', large)])
  await expect(inputOf({ input: 'small', previous_response_id: third })).rejects.toMatchObject(tooLarge)
})
