/** Streams in the wire format that Anthropic documents for `POST /v1/messages` with `stream: true`. */
export const streams = {
  text: sse(
    start({ input_tokens: 25, cache_creation_input_tokens: 3, cache_read_input_tokens: 7, output_tokens: 1 }),
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'ping' },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Grüße' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: ' 👋🏽 日本' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 15 } },
    { type: 'message_stop' },
  ),
  tools: sse(
    start({ input_tokens: 472, output_tokens: 2 }),
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Let me look.' } },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'content_block_start',
      index: 1,
      content_block: { type: 'tool_use', id: 'toolu_01A', name: 'get_weather', input: {} },
    },
    { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"city": "Mün' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: 'chen"}' } },
    { type: 'content_block_stop', index: 1 },
    {
      type: 'content_block_start',
      index: 2,
      content_block: { type: 'tool_use', id: 'toolu_01B', name: 'get_time', input: {} },
    },
    { type: 'content_block_stop', index: 2 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 89 } },
    { type: 'message_stop' },
  ),
  thinking: sse(
    start({ input_tokens: 10, output_tokens: 1 }),
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: '27 × 453' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: ' = 12231' } },
    {
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'signature_delta', signature: 'EqQBCgIYAhIM1gbcDa9GJwZA' },
    },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'redacted_thinking', data: 'EmwKAhgB' } },
    { type: 'content_block_stop', index: 1 },
    { type: 'content_block_start', index: 2, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 2, delta: { type: 'text_delta', text: '12231' } },
    { type: 'content_block_stop', index: 2 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'max_tokens', stop_sequence: null },
      usage: { output_tokens: 40, output_tokens_details: { thinking_tokens: 33 } },
    },
    { type: 'message_stop' },
  ),
  refused: sse(
    start({ input_tokens: 9, output_tokens: 1 }),
    {
      type: 'message_delta',
      delta: { stop_reason: 'refusal', stop_details: { type: 'refusal', category: 'bio', explanation: 'Not this.' } },
      usage: { input_tokens: 9, output_tokens: 4 },
    },
    { type: 'message_stop' },
  ),
  overloaded: sse(
    start({ input_tokens: 9, output_tokens: 1 }),
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hel' } },
    { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'lo' } },
  ),
}

function start(usage: object) {
  const message = { id: 'msg_01X', type: 'message', role: 'assistant', model: 'claude-test-1', content: [] }
  return { type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null, usage } }
}

/** The bytes of events, each with its type as the name of the event. */
export function sse(...events: readonly StreamEvent[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
}

type StreamEvent = { readonly type: string } & Readonly<Record<string, unknown>>
