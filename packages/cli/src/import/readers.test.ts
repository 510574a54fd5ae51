import { ImportedLog } from '@ratchet/contracts/log-import'
import type { Fields } from '@ratchet/service-kit/values/json'
import type { RowReader } from './exchange.ts'
import { readHelicone } from './from-helicone.ts'
import { readLangfuse } from './from-langfuse.ts'
import { readLiteLlm } from './from-litellm.ts'
import { readPortkey } from './from-portkey.ts'
import { readTensorZero } from './from-tensorzero.ts'

const chat = {
  model: 'gpt-6-sol',
  temperature: 0.2,
  stream: true,
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Weather in Rome?' },
  ],
  tools: [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }],
}
const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } }
const completion = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  model: 'gpt-6-sol-2026-08-01',
  choices: [
    { index: 0, message: { role: 'assistant', content: null, tool_calls: [call] }, finish_reason: 'tool_calls' },
  ],
  usage: { prompt_tokens: 30, completion_tokens: 12 },
}
const anthropicRequest = {
  model: 'claude-opus-5-5',
  system: [{ type: 'text', text: 'Be brief.' }],
  messages: [
    { role: 'user', content: 'Weather in Rome?' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Rome' } }] },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'Sunny' }] }],
    },
  ],
}
const anthropicReply = {
  type: 'message',
  role: 'assistant',
  content: [
    { type: 'thinking', thinking: 'It is sunny.' },
    { type: 'text', text: 'It is sunny.' },
  ],
  stop_reason: 'end_turn',
}

const liteLlm = {
  id: 'chatcmpl-1',
  trace_id: 'run-7',
  call_type: 'acompletion',
  response_cost: 0.00042,
  status: 'success',
  prompt_tokens: 30,
  completion_tokens: 12,
  startTime: 1_795_000_000.25,
  endTime: 1_795_000_001.5,
  completionStartTime: 1_795_000_000.75,
  model: 'gpt-6-sol',
  model_group: 'main',
  custom_llm_provider: 'openai',
  cache_hit: 'False',
  request_tags: ['prod', 'chat'],
  end_user: 'u_1',
  messages: chat.messages,
  response: completion,
  model_parameters: { temperature: 0.2, tools: chat.tools },
}

/** A row of the table, in which JSON is text. */
const liteLlmRow = {
  request_id: 'chatcmpl-2',
  spend: '0.5',
  startTime: '2026-11-20 10:00:00.000',
  endTime: '2026-11-20 10:00:02.000',
  model: 'claude-opus-5-5',
  messages: '[]',
  proxy_server_request: JSON.stringify(anthropicRequest),
  response: JSON.stringify(anthropicReply),
}

const langfuse = {
  id: 'obs_1',
  trace_id: 'trace_1',
  type: 'GENERATION',
  name: 'answer',
  environment: 'production',
  start_time: '2026-11-20 10:00:00.250000',
  end_time: '2026-11-20 10:00:01.250000',
  completion_start_time: '2026-11-20 10:00:00.500000',
  provided_model_name: 'gpt-6-sol',
  model_parameters: { temperature: 0.2 },
  input: JSON.stringify({ messages: chat.messages, tools: chat.tools }),
  output: JSON.stringify({ role: 'assistant', content: 'Sunny.' }),
  usage_details: { input: 30, output: 12, total: 42 },
  cost_details: { total: 0.001 },
  user_id: 'u_1',
  session_id: 's_1',
}

const helicone = {
  request_id: '3f0c…1',
  request_created_at: '2026-11-20T10:00:00.000Z',
  request_body: chat,
  response_body: completion,
  response_status: 200,
  response_model: 'gpt-6-sol-2026-08-01',
  request_model: 'gpt-6-sol',
  provider: 'OPENAI',
  request_user_id: 'u_1',
  request_properties: { 'Helicone-Session-Id': 'run-7', feature: 'chat' },
  prompt_tokens: 30,
  completion_tokens: 12,
  delay_ms: 1_250,
  time_to_first_token: 250,
  costUSD: 0.00042,
}

const portkey = {
  id: 'pk_1',
  trace_id: 'run-7',
  created_at: '2026-11-20T10:00:00Z',
  request: { url: 'https://api.openai.com/v1/chat/completions', method: 'POST', body: chat },
  response: { status: 200, body: completion },
  response_status_code: 200,
  ai_org: 'openai',
  ai_model: 'gpt-6-sol',
  metadata: { _user: 'u_1', feature: 'chat' },
  req_units: 30,
  res_units: 12,
  cost: 0.042,
  response_time: 1_250,
  cache_status: 'HIT',
}

const tensorZero = {
  id: '019aa5f0-8a07-7000-8000-000000000001',
  function_name: 'assistant',
  variant_name: 'gpt_6',
  episode_id: '019aa5f0-8a07-7000-8000-00000000000a',
  input: JSON.stringify({
    system: 'Be brief.',
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Weather in Rome?' }] },
      {
        role: 'assistant',
        content: [{ type: 'tool_call', id: 'call_1', name: 'weather', arguments: '{"city":"Rome"}' }],
      },
      { role: 'user', content: [{ type: 'tool_result', id: 'call_1', name: 'weather', result: 'Sunny' }] },
    ],
  }),
  output: JSON.stringify([{ type: 'text', text: 'It is sunny.' }]),
  inference_params: JSON.stringify({ chat_completion: { temperature: 0.2 } }),
  tool_params: JSON.stringify({
    tools_available: [{ name: 'weather', description: 'Now', parameters: { type: 'object' } }],
  }),
  processing_time_ms: 1_250,
  tags: { user_id: 'u_1' },
}

const system = { role: 'system', content: 'Be brief.' }
const question = { role: 'user', content: 'Weather in Rome?' }
const calling = { role: 'assistant', content: null, tool_calls: [call] }
const result = { role: 'tool', tool_call_id: 'call_1', content: 'Sunny' }
const anthropicSteps = [
  system,
  question,
  { ...calling, tool_calls: [{ ...call, id: 'toolu_1' }] },
  { ...result, tool_call_id: 'toolu_1' },
]

it.each<[string, RowReader, Fields, object]>([
  [
    'a payload of LiteLLM',
    readLiteLlm,
    liteLlm,
    {
      messages: [system, question],
      response: calling,
      model: 'gpt-6-sol',
      id: 'chatcmpl-1',
      created_at: new Date(1_795_000_000_250),
      requested_model: 'main',
      provider: 'openai',
      finish_reason: 'tool_calls',
      trace_id: 'run-7',
      user: 'u_1',
      metadata: { tags: 'prod, chat' },
      params: { temperature: 0.2 },
      prompt_tokens: 30,
      completion_tokens: 12,
      cost_usd: 0.00042,
      latency_ms: 1_250,
      ttft_ms: 500,
      tools: chat.tools,
    },
  ],
  [
    'a row of the table of LiteLLM, with a request to Anthropic',
    readLiteLlm,
    { ...liteLlmRow, messages: undefined },
    {
      messages: anthropicSteps,
      response: { role: 'assistant', content: 'It is sunny.' },
      created_at: new Date('2026-11-20T10:00:00Z'),
      finish_reason: 'end_turn',
      cost_usd: 0.5,
      latency_ms: 2_000,
    },
  ],
  [
    'an observation of Langfuse',
    readLangfuse,
    langfuse,
    {
      messages: [system, question],
      response: { role: 'assistant', content: 'Sunny.' },
      model: 'gpt-6-sol',
      created_at: new Date('2026-11-20T10:00:00.250Z'),
      trace_id: 'trace_1',
      span_id: 'obs_1',
      conversation_id: 's_1',
      user: 'u_1',
      metadata: { name: 'answer', environment: 'production' },
      prompt_tokens: 30,
      completion_tokens: 12,
      cost_usd: 0.001,
      latency_ms: 1_000,
      ttft_ms: 250,
      tools: chat.tools,
    },
  ],
  [
    'an observation of Langfuse with plain texts',
    readLangfuse,
    { id: 'obs_2', type: 'GENERATION', startTime: '2026-11-20T10:00:00Z', model: 'x', input: 'Hi', output: 'Hello.' },
    { messages: [{ role: 'user', content: 'Hi' }], response: { role: 'assistant', content: 'Hello.' } },
  ],
  [
    'a row of Helicone',
    readHelicone,
    helicone,
    {
      messages: [system, question],
      response: calling,
      model: 'gpt-6-sol-2026-08-01',
      requested_model: 'gpt-6-sol',
      provider: 'openai',
      trace_id: 'run-7',
      user: 'u_1',
      stream: true,
      cost_usd: 0.00042,
      latency_ms: 1_250,
      ttft_ms: 250,
    },
  ],
  [
    'a row of Helicone with a call of Anthropic',
    readHelicone,
    { ...helicone, request_body: anthropicRequest, response_body: anthropicReply },
    { messages: anthropicSteps, response: { role: 'assistant', content: 'It is sunny.' } },
  ],
  [
    'a row of Portkey, whose costs are cents',
    readPortkey,
    portkey,
    {
      messages: [system, question],
      response: calling,
      model: 'gpt-6-sol',
      trace_id: 'run-7',
      user: 'u_1',
      metadata: { _user: 'u_1', feature: 'chat' },
      prompt_tokens: 30,
      completion_tokens: 12,
      cost_usd: 0.00042,
      cached: true,
      latency_ms: 1_250,
    },
  ],
  [
    'a row of TensorZero',
    readTensorZero,
    tensorZero,
    {
      messages: [system, question, calling, result],
      response: { role: 'assistant', content: 'It is sunny.' },
      model: 'gpt_6',
      created_at: new Date(0x019aa5f08a07),
      trace_id: '019aa5f0-8a07-7000-8000-00000000000a',
      metadata: { function: 'assistant', variant: 'gpt_6', user_id: 'u_1' },
      params: { temperature: 0.2 },
      latency_ms: 1_250,
      tools: [{ type: 'function', function: { name: 'weather', description: 'Now', parameters: { type: 'object' } } }],
    },
  ],
  [
    'an answer in JSON of TensorZero',
    readTensorZero,
    { ...tensorZero, output: { raw: '{"city":"Rome"}', parsed: { city: 'Rome' } } },
    { response: { role: 'assistant', content: '{"city":"Rome"}' } },
  ],
])('reads %s as an entry that the log accepts', (_, reader, row, entry) => {
  const read = reader(row)
  if (read.kind !== 'entry') throw new Error(read.reason)
  expect(ImportedLog.parse(JSON.parse(JSON.stringify(read.entry)))).toMatchObject(entry)
})

it.each<[string, RowReader, Fields, string]>([
  ['failed calls', readLiteLlm, { ...liteLlm, status: 'failure' }, 'failed calls'],
  ['rows without content', readLiteLlm, { ...liteLlm, messages: {}, response: {} }, 'store_prompts_in_spend_logs'],
  ['spans', readLangfuse, { ...langfuse, type: 'SPAN' }, 'no generations'],
  ['generations without output', readLangfuse, { ...langfuse, output: null }, 'without input or output'],
  ['failed calls', readHelicone, { ...helicone, response_status: 429 }, 'failed calls'],
  ['rows without bodies', readHelicone, { ...helicone, response_body: undefined }, '--include-body'],
  ['failed calls', readPortkey, { ...portkey, response_status_code: 500 }, 'failed calls'],
  [
    'embeddings',
    readPortkey,
    { ...portkey, request: { body: { input: ['x'] } }, response: { body: {} } },
    'without bodies',
  ],
  ['rows without output', readTensorZero, { ...tensorZero, output: '[]' }, 'without input or output'],
])('leaves out %s', (_, reader, row, reason) => {
  expect(reader(row)).toEqual({ kind: 'left_out', reason: expect.stringContaining(reason) })
})

it.each([readHelicone, readLangfuse, readLiteLlm, readPortkey, readTensorZero])(
  '%p reads rows of any shape',
  (reader) => {
    const odd = [null, 1, 'text', [], {}, [[]], { role: 1 }, { messages: [1, null, { role: 'user' }] }]
    for (const value of odd) {
      const row = {
        request: value,
        response: value,
        request_body: value,
        response_body: value,
        input: value,
        output: value,
      }
      expect(['entry', 'left_out']).toContain(reader({ ...row, messages: value, metadata: value, tags: value }).kind)
    }
  },
)
