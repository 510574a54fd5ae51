/** Chat completion streams as OpenAI-compatible providers send them. */

const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_760_000_000, model: 'fast-2026' }

export function chatFrame(value: object | string): string {
  return `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`
}

export function deltaFrame(delta: object, more: object = {}): string {
  return chatFrame({ ...head, choices: [{ index: 0, delta, finish_reason: null, ...more }] })
}

function finishFrame(finish_reason: string): string {
  return chatFrame({ ...head, choices: [{ index: 0, delta: {}, finish_reason }] })
}

const usageFrame = chatFrame({
  ...head,
  choices: [],
  usage: {
    prompt_tokens: 30,
    completion_tokens: 12,
    total_tokens: 42,
    prompt_tokens_details: { cached_tokens: 10 },
    completion_tokens_details: { reasoning_tokens: 5 },
  },
})

export const ending = (reason: string) => finishFrame(reason) + usageFrame + chatFrame('[DONE]')

const call = (index: number, more: object) => deltaFrame({ tool_calls: [{ index, ...more }] })

export const chatStreams = {
  text:
    deltaFrame({ role: 'assistant', content: '' }) +
    deltaFrame({ content: 'Grüße, ' }) +
    deltaFrame({ content: '🌍!' }) +
    ending('stop'),

  reasoning:
    deltaFrame({ role: 'assistant', content: null, reasoning_content: 'Let me ' }) +
    deltaFrame({ reasoning_content: 'think.' }) +
    deltaFrame({ content: 'Four.' }) +
    ending('stop'),

  refusal:
    deltaFrame({ role: 'assistant', refusal: 'I cannot ' }) + deltaFrame({ refusal: 'do that.' }) + ending('stop'),

  interleavedCalls:
    deltaFrame({ role: 'assistant', content: 'Looking.' }) +
    call(0, { id: 'call_a', type: 'function', function: { name: 'weather', arguments: '' } }) +
    call(1, { id: 'call_b', type: 'function', function: { name: 'time', arguments: '{"z' } }) +
    call(0, { function: { arguments: '{"city":' } }) +
    call(1, { function: { arguments: 'one":"UTC"}' } }) +
    call(0, { function: { arguments: '"Oslo"}' } }) +
    ending('tool_calls'),

  /** From providers that send a call in one piece, without an index, with the name after the id. */
  looseCalls:
    deltaFrame({ tool_calls: [{ id: 'call_a', type: 'function' }] }) +
    deltaFrame({ tool_calls: [{ function: { name: 'weather', arguments: '{}' } }] }) +
    deltaFrame({ tool_calls: [{ id: '', type: 'function', function: { name: 'time', arguments: '{}' } }] }) +
    ending('tool_calls'),

  /** From providers that give every call the same index. */
  sameIndex:
    call(0, { id: 'a', type: 'function', function: { name: 'weather', arguments: '{"city":' } }) +
    call(0, { function: { arguments: '"Oslo"}' } }) +
    call(0, { id: 'b', type: 'function', function: { name: 'time', arguments: '{}' } }) +
    ending('tool_calls'),

  /** From providers that give every delta a new id. */
  newIds:
    call(0, { id: 'a', type: 'function', function: { name: 'weather', arguments: '' } }) +
    call(0, { id: 'x', function: { arguments: '{"city":' } }) +
    call(0, { id: 'y', function: { arguments: '"Oslo"}' } }) +
    ending('tool_calls'),

  /** From the OpenAI-compatible API of Google. */
  signedCalls:
    call(0, {
      id: 'a',
      type: 'function',
      function: { name: 'weather', arguments: '{}' },
      extra_content: { google: { thought_signature: 'c2ln' } },
    }) + ending('tool_calls'),

  /** From Claude by translation: the reasoning is sent complete, at the end. */
  thoughtfulCalls:
    deltaFrame({ role: 'assistant', reasoning_content: 'Hm.' }) +
    call(0, { id: 'a', type: 'function', function: { name: 'weather', arguments: '{}' } }) +
    call(1, { id: 'b', type: 'function', function: { name: 'time', arguments: '{}' } }) +
    deltaFrame({ reasoning_details: [{ type: 'reasoning.text', text: 'Hm.', signature: 'c2ln', index: 0 }] }) +
    ending('tool_calls'),

  cut: deltaFrame({ content: 'Once upon a' }) + ending('length'),

  filtered: deltaFrame({ content: 'Well' }) + ending('content_filter'),

  empty: deltaFrame({ role: 'assistant', content: '' }) + ending('stop'),

  /** From a provider that reports no usage and sends no last frame. */
  careless: `: ping\n\n${deltaFrame({ content: [{ type: 'text', text: 'ok' }] })}${finishFrame('stop')}`,

  logprobs:
    deltaFrame(
      { content: 'Hi' },
      { logprobs: { content: [{ token: 'Hi', logprob: -0.1, bytes: [72, 105], top_logprobs: [] }] } },
    ) + ending('stop'),
} as const
