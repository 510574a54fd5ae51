/** Chat completion streams as OpenAI and compatible providers send them. */

const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_760_000_000, model: 'fast-2026' }

function frame(value: object | string): string {
  return `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`
}

function chunk(choice: object, more: object = {}): string {
  return frame({ ...head, choices: [{ index: 0, delta: {}, logprobs: null, finish_reason: null, ...choice }], ...more })
}

const delta = (fields: object, more: object = {}) => chunk({ delta: fields }, more)
const call = (index: number, more: object) => delta({ tool_calls: [{ index, ...more }] })
const counts = { prompt_tokens: 19, completion_tokens: 10, total_tokens: 29 }
const usage = frame({ ...head, choices: [], usage: counts })
const done = frame('[DONE]')

const openai =
  delta({ role: 'assistant', content: '', refusal: null }, { service_tier: 'default', usage: null }) +
  delta({ content: 'Grüße, ' }, { obfuscation: 'x1' }) +
  delta({ content: '🌍!' }) +
  chunk({ finish_reason: 'stop' }) +
  usage +
  done

const calls =
  call(0, { id: 'call_a', type: 'function', function: { name: 'weather', arguments: '' } }) +
  call(1, { id: 'call_b', type: 'function', function: { name: 'time', arguments: '{"z' } }) +
  call(0, { function: { arguments: '{"city":"Tromsø"}' } }) +
  call(1, { function: { arguments: 'one":"UTC"}' } }) +
  chunk({ finish_reason: 'tool_calls' }) +
  usage +
  done

/** Spreads every frame over several lines, as servers do that indent their JSON. */
function printed(stream: string): string {
  return stream.replace(/^data: (\{.*\})$/gm, (_line, json: string) =>
    JSON.stringify(JSON.parse(json), null, 1).replace(/^/gm, 'data: '),
  )
}

export const recordedStreams = {
  openai,
  calls,
  /** As proxies send it that rewrite line ends. */
  carriageReturns: openai.replaceAll('\n', '\r\n'),
  onlyCarriageReturns: calls.replaceAll('\n', '\r'),
  manyLines: printed(openai),
  manyLinesOfCalls: printed(calls).replaceAll('\n', '\r\n'),
  /** With comments as keep-alives, and with reasoning under two names. */
  openrouter:
    ': OPENROUTER PROCESSING\n\n' +
    delta({ role: 'assistant', content: '', reasoning: 'Hm. ', reasoning_details: [{ type: 'reasoning.text' }] }) +
    ': OPENROUTER PROCESSING\n\n' +
    delta({ content: 'Four.' }) +
    chunk({ finish_reason: 'stop', native_finish_reason: 'STOP' }, { usage: { ...counts, cost: 0.0001 } }) +
    done,
  /** With usage in a member of its own, and without a space after the colon. */
  groq:
    delta({ role: 'assistant', content: 'Four.' }).replaceAll('data: ', 'data:') +
    chunk({ finish_reason: 'stop' }, { x_groq: { id: 'req_1', usage: counts } }) +
    done,
  /** With content in parts, one of which is a thought. */
  mistral:
    delta({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Zwölf?' }] }] }) +
    delta({ content: 'Twelve.' }) +
    chunk({ finish_reason: 'length' }, { usage: counts }) +
    done,
  /** With complete, signed calls that all have the same index. */
  gemini:
    call(0, {
      id: 'a',
      type: 'function',
      function: { name: 'f', arguments: '{}' },
      extra_content: { google: { thought_signature: 'c2ln' } },
    }) +
    call(0, { id: 'b', type: 'function', function: { name: 'g', arguments: '{"é":1}' } }) +
    chunk({ finish_reason: 'tool_calls' }, { usage: counts }) +
    done,
  /** With two interleaved choices, each with its log probabilities. */
  choices: ['a', 'é', '🌍']
    .map((token, index) => chunk({ index: index % 2, delta: { content: token }, logprobs: { content: [{ token }] } }))
    .concat(chunk({ index: 1, finish_reason: 'length' }), chunk({ finish_reason: 'stop' }), usage, done)
    .join(''),
  failing: `${delta({ content: 'Well' })}event: error\r\ndata: {"error":{"message":"overloaded"}}\r\n\r\n`,
  withoutGoodbye: `${delta({ content: 'ok' })}${chunk({ finish_reason: 'stop' })}`.trimEnd(),
  cutInAFrame: openai.slice(0, -60),
  rubbish: `${delta({ content: 'ok' })}data: {"choices":\n\n`,
} as const
