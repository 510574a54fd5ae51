import { cpuMs } from '@ratchet/testing/cpu-time'
import fc from 'fast-check'
import { createChatAssembler } from './assemble-chat.ts'

const head = { id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm' }

/** The message of the first choice that is assembled from these deltas. */
function messageOf(...deltas: object[]): unknown {
  const assembler = createChatAssembler()
  for (const delta of deltas) {
    const choices = [{ index: 0, delta }]
    assembler.add({ ...head, choices }, choices)
  }
  return (assembler.assemble() as { choices: { message: unknown }[] } | null)?.choices[0]?.message
}

const silent = { role: 'assistant', content: null, refusal: null }

describe('createChatAssembler', () => {
  it('is null without chunks and without choices', () => {
    const assembler = createChatAssembler()
    expect(assembler.assemble()).toBeNull()
    assembler.add(head, [])
    expect(assembler.assemble()).toBeNull()
  })

  it('appends text, replaces names and concatenates lists', () => {
    expect(
      messageOf(
        { role: 'assistant', content: 'Hel', annotations: [{ a: 1 }] },
        { role: 'assistant', content: 'lo', annotations: [{ b: 2 }], reasoning: 'because' },
        { content: null, reasoning: ' so' },
      ),
    ).toEqual({ ...silent, content: 'Hello', annotations: [{ a: 1 }, { b: 2 }], reasoning: 'because so' })
  })

  it('appends to a list in time that does not depend on its length', () => {
    const assembler = createChatAssembler()
    const spentMs = cpuMs(() => {
      for (let i = 0; i < 3_000; i++) {
        const choices = [{ index: 0, delta: { x: Array(100).fill(1) } }]
        assembler.add({ ...head, choices }, choices)
      }
    })
    expect(JSON.stringify(assembler.assemble()).length).toBeGreaterThan(600_000)
    expect(spentMs).toBeLessThan(300)
  })

  it('records no answer that takes too much memory', () => {
    const assembler = createChatAssembler()
    for (let i = 0; i < 1_000; i++) {
      const choices = [{ index: 0, delta: { x: Array(1_000).fill({}) } }]
      assembler.add({ ...head, choices }, choices)
    }
    expect(assembler.assemble()).toBeNull()
  })

  it('assembles only the head and the finish reasons when the content is not needed', () => {
    const assembler = createChatAssembler({ recordsContent: false })
    const choices = [{ index: 0, delta: { content: 'Hello' }, finish_reason: 'stop' }]
    assembler.add({ ...head, choices }, choices)
    expect(assembler.assemble()).toMatchObject({
      model: 'm',
      choices: [{ message: { content: null }, finish_reason: 'stop' }],
    })
  })

  it('assembles tool calls by their index, and orders them by it', () => {
    const call = (index: number, more: object) => ({ tool_calls: [{ index, ...more }] })
    expect(
      messageOf(
        { role: 'assistant', content: '' },
        call(1, { id: 'b', type: 'function', function: { name: 'g', arguments: '' } }),
        call(0, { id: 'a', type: 'function', function: { name: 'f', arguments: '{"x"' } }),
        call(1, { function: { arguments: '{}' } }),
        call(0, { id: 'a', type: 'function', function: { name: 'f', arguments: ':1}' } }),
      ),
    ).toEqual({
      ...silent,
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } },
        { id: 'b', type: 'function', function: { name: 'g', arguments: '{}' } },
      ],
    })
  })

  it('assembles each call without an index as a call of its own', () => {
    const call = (id: string) => ({ tool_calls: [{ id, function: { name: 'f', arguments: '{}' } }] })
    expect(messageOf(call('a'), call('b'))).toMatchObject({ tool_calls: [{ id: 'a' }, { id: 'b' }] })
  })

  it('separates calls that share an index but not an id, and continues the one without an index', () => {
    const call = (more: object) => ({ tool_calls: [more] })
    const first = { id: 'a', function: { name: 'f', arguments: '{}' } }
    const second = { id: 'b', function: { name: 'g', arguments: '{"x"' } }
    expect(
      messageOf(
        call({ index: 0, ...first }),
        call({ index: 0, ...second }),
        call({ index: 0, function: { arguments: ':1}' } }),
      ),
    ).toMatchObject({ tool_calls: [first, { id: 'b', function: { name: 'g', arguments: '{"x":1}' } }] })
    expect(messageOf(call(first), call(second), call({ function: { arguments: ':1}' } }))).toMatchObject({
      tool_calls: [first, { id: 'b', function: { name: 'g', arguments: '{"x":1}' } }],
    })
  })

  it('leaves the signature of a call unchanged', () => {
    const call = { index: 0, id: 'a', function: { name: 'f' }, extra_content: { google: { thought_signature: 's' } } }
    const { tool_calls } = messageOf({ tool_calls: [call] }, { tool_calls: [call] }) as { tool_calls: unknown }
    expect(tool_calls).toMatchObject([{ extra_content: { google: { thought_signature: 's' } } }])
  })

  it('separates choices, in the order of their indices, each with its finish reason and its log probabilities', () => {
    const assembler = createChatAssembler()
    const logprobs = (token: string) => ({ content: [{ token }], refusal: null })
    const add = (...choices: object[]) => assembler.add({ ...head, choices, service_tier: 'default' }, choices)
    add({ index: 1, delta: { content: 'b' }, logprobs: logprobs('b') })
    add({ index: 0, delta: { content: 'a' } }, { index: 1, delta: { content: 'B' }, logprobs: logprobs('B') })
    add({ index: 1, delta: {}, finish_reason: 'length' }, { index: 0, delta: {}, finish_reason: 'stop' })
    add({ index: 0, delta: {}, finish_reason: '' })
    expect(assembler.assemble()).toEqual({
      ...head,
      object: 'chat.completion',
      service_tier: 'default',
      choices: [
        { index: 0, message: { ...silent, content: 'a' }, logprobs: null, finish_reason: 'stop' },
        {
          index: 1,
          message: { ...silent, content: 'bB' },
          logprobs: { content: [{ token: 'b' }, { token: 'B' }], refusal: null },
          finish_reason: 'length',
        },
      ],
    })
  })

  it('stores a bounded number of choices and calls', () => {
    const assembler = createChatAssembler()
    const choices = Array.from({ length: 1_000 }, (_, index) => ({ index, delta: { content: 'x' } }))
    assembler.add(head, choices)
    const calls = Array.from({ length: 5_000 }, (_, index) => ({ index }))
    assembler.add(head, [{ index: 0, delta: { tool_calls: calls } }])
    const whole = assembler.assemble() as { choices: { message: { tool_calls?: unknown[] } }[] }
    expect(whole.choices).toHaveLength(128)
    expect(whole.choices[0]?.message.tool_calls).toHaveLength(1_024)
  })

  it('never throws, whatever a provider sends, and never changes a prototype', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.jsonValue()), { maxLength: 5 }), (all) => {
        const assembler = createChatAssembler()
        for (const choices of all) assembler.add(head, choices)
        expect(() => JSON.stringify(assembler.assemble())).not.toThrow()
      }),
    )
    const poisoned = JSON.parse(
      '{"index":0,"delta":{"constructor":{"prototype":{"polluted":true}},"toString":{"polluted":1}}}',
    )
    const assembler = createChatAssembler()
    assembler.add(head, [poisoned, poisoned])
    assembler.assemble()
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })
})
