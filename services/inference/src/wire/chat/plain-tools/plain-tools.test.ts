import { modelOf } from '../../../catalog/catalog.fixture.ts'
import { parseBody } from '../../../request/parse-body.ts'
import { wideLimits } from '../../answer-limits.fixture.ts'
import type { ProviderRequest } from '../../provider.ts'
import { needsPlainTools, plainTools } from './plain-tools.ts'

const hi = { role: 'user', content: 'hi' }
const patch = { type: 'custom', custom: { name: 'patch' } }
const look = { type: 'function', function: { name: 'look' } }
const called = { id: 'c1', type: 'custom', custom: { name: 'patch', input: 'x' } }

function asked(more: object, { provider = 'acme', isStrict = false } = {}): ProviderRequest {
  const read = parseBody(Buffer.from(JSON.stringify({ model: 'm', messages: [hi], ...more })))
  const model = { ...modelOf(), provider }
  const lenient = isStrict ? {} : { leniency: { dropsParameters: false, dropped: new Set<string>() } }
  return { requestId: 'r1', dialect: 'chat', model, stream: false, limits: wideLimits, ...lenient, ...read }
}

const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`

/** The deltas of a stream, whose bytes arrive in pieces of a size. */
function streamed(request: ProviderRequest, frames: string, size = 7) {
  const bytes = Buffer.from(frames)
  const converter = plainTools.fromStream(request)
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes.length; at += size) pieces.push(converter.push(bytes.subarray(at, at + size)))
  const text = Buffer.concat([...pieces, converter.end()]).toString()
  const choices = [...text.matchAll(/^data: (\{.*)$/gm)].flatMap(([, data = '']) => JSON.parse(data).choices ?? [])
  return { text, calls: choices.flatMap(({ delta }) => delta.tool_calls ?? []), choices }
}

it.each([
  ['custom tools', { tools: [look, patch] }],
  ['older functions', { functions: [{ name: 'look' }] }],
  ['a custom call in its history', { messages: [hi, { role: 'assistant', tool_calls: [called] }] }],
  ['an older call in its history', { messages: [hi, { role: 'assistant', function_call: { name: 'look' } }] }],
])('a request with %s is translated, unless its provider has them or its client is strict', (_name, more) => {
  expect(needsPlainTools(asked(more))).toBe(true)
  expect(needsPlainTools(asked(more, { provider: 'openai' }))).toBe(false)
  expect(needsPlainTools(asked(more, { isStrict: true }))).toBe(false)
  expect(needsPlainTools(asked({ tools: [look] }))).toBe(false)
})

it('older calls and their results get the same id', () => {
  const messages = [
    hi,
    { role: 'assistant', content: null, function_call: { name: 'look', arguments: '{}' } },
    { role: 'function', name: 'look', content: 'sunny' },
    { role: 'assistant', content: null, function_call: { name: 'look', arguments: '{}' } },
    { role: 'function', name: 'look', content: 'rainy' },
  ]
  const rewrite = plainTools.toChat(asked({ messages, functions: [{ name: 'look' }], function_call: 'auto' }))
  const call = (id: string) => ({ id, type: 'function', function: { name: 'look', arguments: '{}' } })
  expect(rewrite).toMatchObject({
    ok: true,
    body: {
      tools: [look],
      tool_choice: 'auto',
      messages: [
        hi,
        { role: 'assistant', content: null, tool_calls: [call('call_1')] },
        { role: 'tool', tool_call_id: 'call_1', content: 'sunny' },
        { role: 'assistant', content: null, tool_calls: [call('call_2')] },
        { role: 'tool', tool_call_id: 'call_2', content: 'rainy' },
      ],
    },
  })
})

describe('a stream', () => {
  const request = asked({ tools: [look, patch] })
  const begun = (index: number, name: string, text = '') => ({
    index,
    id: `c${index}`,
    type: 'function',
    function: { name, arguments: text },
  })
  const goesOn = (index: number, text: string) => ({ index, function: { arguments: text } })

  it('has calls of both kinds, cut anywhere', () => {
    const frames =
      chunk({ tool_calls: [begun(0, 'patch'), begun(1, 'look'), begun(2, 'patch', '{"input":"b"}')] }) +
      chunk({ tool_calls: [goesOn(0, '{"input":"a\\n'), goesOn(1, '{}')] }) +
      chunk({ tool_calls: [goesOn(0, 'ä"}')] }) +
      chunk({}, 'tool_calls')
    for (const size of [1, 7, 1_000]) {
      expect(streamed(request, `${frames}data: [DONE]\n\n`, size).calls).toEqual([
        { index: 0, id: 'c0', type: 'custom', custom: { name: 'patch', input: '' } },
        begun(1, 'look'),
        { index: 2, id: 'c2', type: 'custom', custom: { name: 'patch', input: '' } },
        goesOn(1, '{}'),
        { index: 0, custom: { input: 'a\nä' } },
        { index: 2, custom: { input: 'b' } },
      ])
    }
  })

  it('has arguments that are not what was asked for as they are', () => {
    const frames = chunk({ tool_calls: [begun(0, 'patch', 'no JSON')] }) + chunk({}, 'tool_calls')
    expect(streamed(request, frames).calls.at(-1)).toEqual({ index: 0, custom: { input: 'no JSON' } })
  })

  it('has one older call', () => {
    const older = asked({ functions: [{ name: 'look' }] })
    const frames =
      chunk({ tool_calls: [begun(0, 'look'), begun(1, 'look')] }) +
      chunk({ tool_calls: [goesOn(0, '{"a":1}'), goesOn(1, '{}')] }) +
      chunk({}, 'tool_calls')
    const { choices } = streamed(older, frames)
    expect(choices.map(({ delta }) => delta)).toEqual([
      { function_call: { name: 'look', arguments: '' } },
      { function_call: { arguments: '{"a":1}' } },
      {},
    ])
    expect(choices.at(-1).finish_reason).toBe('function_call')
  })

  it('passes other frames on as they are', () => {
    const frames = `: ping\n\ndata: {"error":{"message":"no"}}\n\ndata: {"choices":[],"usage":{"n":12345678901234567890}}\n\n`
    expect(streamed(request, frames).text).toBe(frames)
  })
})

it.each([
  [{ functions: [{ name: 'look' }] }, 'tools.0.function.parameters', 'functions.0.parameters'],
  [{ functions: [{ name: 'look' }] }, 'tool_choice.function.name', 'function_call'],
  [{ functions: [{ name: 'look' }] }, 'messages.1.tool_calls.0.function.name', 'messages.1.function_call.name'],
  [{ functions: [{ name: 'look' }] }, 'temperature', 'temperature'],
  [{ tools: [look, patch] }, 'tools.1.function.name', 'tools.1.custom'],
  [{ tools: [look, patch] }, 'tools.0.function.name', 'tools.0.function.name'],
])('with %j, %s is %s', (more, param, name) => {
  const request = asked(more)
  const rewrite = plainTools.toChat(request)
  expect(rewrite.ok && plainTools.nameField(param, rewrite, request)).toBe(name)
})
