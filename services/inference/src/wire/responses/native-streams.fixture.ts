/** Streams as OpenAI's own Responses endpoint sends them: stateless, with OpenAI's ids. */

const response = {
  id: 'resp_68af4030592c81938ec0a5fbab4a3e9f05438e46b5f69a3b',
  object: 'response',
  created_at: 1_756_315_696,
  status: 'in_progress',
  background: false,
  error: null,
  incomplete_details: null,
  instructions: null,
  max_output_tokens: null,
  metadata: {},
  model: 'gpt-5-mini-2025-08-07',
  output: [] as object[],
  parallel_tool_calls: true,
  previous_response_id: null,
  reasoning: { effort: 'medium', summary: 'auto' },
  store: false,
  temperature: 1.0,
  text: { format: { type: 'text' }, verbosity: 'medium' },
  tool_choice: 'auto',
  tools: [],
  top_p: 1.0,
  truncation: 'disabled',
  usage: null as object | null,
  user: null,
}

const usage = {
  input_tokens: 30,
  input_tokens_details: { cached_tokens: 10, cache_write_tokens: 0 },
  output_tokens: 12,
  output_tokens_details: { reasoning_tokens: 5 },
  total_tokens: 42,
}

const reasoning = {
  id: 'rs_68af4030',
  type: 'reasoning',
  summary: [{ type: 'summary_text', text: '**Greeting** the world' }],
  encrypted_content: 'gAAAAABo',
}
const part = { type: 'output_text', annotations: [], logprobs: [], text: 'Grüße, 🌍!' }
const message = { id: 'msg_68af4033', type: 'message', status: 'completed', role: 'assistant', content: [part] }
const call = {
  id: 'fc_68af4035',
  type: 'function_call',
  status: 'completed',
  call_id: 'call_x',
  name: 'weather',
  arguments: '{"city":"Oslo"}',
}
const output = [reasoning, message, call]

/** A frame with numbers as OpenAI writes them: `1.0` must not become `1`. */
function frame(type: string, sequence: number, members: object): string {
  const json = JSON.stringify({ type, sequence_number: sequence, ...members }).replaceAll('"top_p":1,', '"top_p":1.0,')
  return `event: ${type}\ndata: ${json}\n\n`
}

const atReasoning = { item_id: reasoning.id, output_index: 0, summary_index: 0 }
const atMessage = { item_id: message.id, output_index: 1, content_index: 0 }
const atCall = { item_id: call.id, output_index: 2 }

const middle: readonly (readonly [string, object])[] = [
  ['response.output_item.added', { output_index: 0, item: { ...reasoning, summary: [], encrypted_content: '' } }],
  ['response.reasoning_summary_part.added', { ...atReasoning, part: { type: 'summary_text', text: '' } }],
  ['response.reasoning_summary_text.delta', { ...atReasoning, delta: '**Greeting** the world', obfuscation: 'x9' }],
  ['response.reasoning_summary_text.done', { ...atReasoning, text: '**Greeting** the world' }],
  ['response.reasoning_summary_part.done', { ...atReasoning, part: reasoning.summary[0] }],
  ['response.output_item.done', { output_index: 0, item: reasoning }],
  ['response.output_item.added', { output_index: 1, item: { ...message, status: 'in_progress', content: [] } }],
  ['response.content_part.added', { ...atMessage, part: { ...part, text: '' } }],
  ['response.output_text.delta', { ...atMessage, delta: 'Grüße, ', logprobs: [], obfuscation: 'q' }],
  ['response.output_text.delta', { ...atMessage, delta: '🌍!', logprobs: [], obfuscation: 'qq' }],
  ['response.output_text.done', { ...atMessage, text: part.text, logprobs: [] }],
  ['response.content_part.done', { ...atMessage, part }],
  ['response.output_item.done', { output_index: 1, item: message }],
  ['response.output_item.added', { output_index: 2, item: { ...call, status: 'in_progress', arguments: '' } }],
  ['response.function_call_arguments.delta', { ...atCall, delta: '{"city":"Oslo"}' }],
  ['response.function_call_arguments.done', { ...atCall, arguments: call.arguments }],
  ['response.output_item.done', { output_index: 2, item: call }],
]

const begun =
  frame('response.created', 0, { response }) +
  frame('response.in_progress', 1, { response }) +
  middle.map(([type, members], index) => frame(type, index + 2, members)).join('')

const last = middle.length + 2

export const wholeReply = { ...response, status: 'completed', output, usage }

export const nativeStreams = {
  completed: begun + frame('response.completed', last, { response: wholeReply }),
  incomplete:
    begun +
    frame('response.incomplete', last, {
      response: { ...wholeReply, status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
    }),
  withoutUsage: begun + frame('response.completed', last, { response: { ...wholeReply, usage: null } }),
  failed:
    begun +
    frame('response.failed', last, {
      response: { ...response, status: 'failed', error: { code: 'server_error', message: 'The model broke.' } },
    }),
  error: `${begun}event: error\ndata: {"type":"error","code":"server_error","message":"No more.","param":null,"sequence_number":${last}}\n\n`,
  nestedError: `${begun}event: error\ndata: {"type":"error","error":{"message":"No more.","type":"server_error"},"sequence_number":${last}}\n\n`,
} as const
