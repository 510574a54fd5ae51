import fc from 'fast-check'
import type { Body } from './dialect.ts'
import { requestOf } from './messages/message-streams.fixture.ts'
import { messagesOverChat } from './messages/messages-over-chat.ts'
import type { Provider, ProviderFailure } from './provider.ts'
import { responsesRequest } from './responses/request.fixture.ts'
import { responsesOverChat } from './responses/responses-over-chat.ts'
import { translateViaChat } from './translate-via-chat.ts'

/** A chat provider that refuses one field. */
function refusing(param: string): Provider {
  return {
    dialects: new Set(['chat']),
    start(_request, { onFailure }) {
      const message = `${param} is not supported for this model: so it is.`
      onFailure({ kind: 'refused', code: 'unsupported_parameter', param, message, retryAfterMs: null })
      return { abort() {}, pause() {}, resume() {} }
    },
  }
}

function reportedOf(param: string, dialect: 'messages' | 'responses', body: Body): ProviderFailure {
  const failures: ProviderFailure[] = []
  const translation = dialect === 'messages' ? messagesOverChat : responsesOverChat
  const request = dialect === 'messages' ? requestOf(body) : responsesRequest(body)
  translateViaChat(refusing(param), translation).start(request, {
    onReply() {},
    onStreamStart() {},
    onStreamData() {},
    onStreamEnd() {},
    onFailure: (failure) => failures.push(failure),
  })
  const [failure] = failures
  if (failure === undefined) throw new Error('nothing was refused')
  return failure
}

const image = { type: 'image', source: { type: 'url', url: 'https://x.test/a.png' } }
const message = {
  max_tokens: 9,
  system: 'Be brief.',
  tools: [{ name: 'look', input_schema: { type: 'object' } }],
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'Look.' }, image] },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm' },
        { type: 'tool_use', id: 'a', name: 'look', input: {} },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'a', content: [image] },
        { type: 'text', text: 'So?' },
      ],
    },
  ],
}

it.each<[string, string, object?]>([
  ['reasoning_effort', 'thinking', { thinking: { type: 'enabled', budget_tokens: 2_000 } }],
  ['reasoning_effort', 'output_config.effort', { output_config: { effort: 'low' } }],
  ['response_format.type', 'output_config.format.type'],
  ['response_format.json_schema.schema', 'output_config.format.schema'],
  ['parallel_tool_calls', 'tool_choice.disable_parallel_tool_use'],
  ['stop', 'stop_sequences'],
  ['temperature', 'temperature'],
  ['tools.0.function.parameters', 'tools.0.input_schema'],
  ['tools.0.function.name', 'tools.0.name'],
  ['messages.0.content', 'system'],
  ['messages.1.content.1.image_url.url', 'messages.0.content.1.source'],
  ['messages.2.tool_calls.0.function.arguments', 'messages.1.content.1.input'],
  ['messages.3.content', 'messages.2.content.0.content'],
  ['messages.4.content.1.image_url', 'messages.2.content.0.content.0.source'],
])('names the field %s of a chat completion %s in a message', (param, name, more = {}) => {
  const reported = reportedOf(param, 'messages', { ...message, ...more })
  expect(reported).toMatchObject({ param: name, message: `${name} is not supported for this model: so it is.` })
})

const response = {
  instructions: 'Be brief.',
  tools: [
    { type: 'function', name: 'skip' },
    { type: 'function', name: 'look', parameters: {} },
  ],
  tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'look' }] },
  input: [
    { type: 'reasoning', id: 'rs_1', summary: [] },
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'Look.' },
        { type: 'input_image', image_url: 'https://x.test/a' },
      ],
    },
    { type: 'function_call', call_id: 'a', name: 'look', arguments: '{}' },
    { type: 'function_call', call_id: 'b', name: 'look', arguments: '{' },
    { type: 'function_call_output', call_id: 'a', output: 'x' },
    {
      type: 'function_call_output',
      call_id: 'b',
      output: [
        { type: 'input_text', text: 'y' },
        { type: 'input_image', image_url: 'https://x.test/b' },
      ],
    },
  ],
}

it.each<[string, string, object?]>([
  ['reasoning_effort', 'reasoning.effort'],
  ['response_format.type', 'text.format.type'],
  ['response_format.json_schema.schema', 'text.format.schema'],
  ['max_tokens', 'max_output_tokens'],
  ['logprobs', 'top_logprobs'],
  ['logprobs', 'include', { include: ['message.output_text.logprobs'] }],
  ['tools.0.function.parameters', 'tools.1.parameters'],
  ['messages.0.content', 'instructions'],
  ['messages.0.content', 'input', { instructions: null, input: 'hi' }],
  ['messages.1.content.1.image_url.url', 'input.1.content.1.image_url'],
  ['messages.1.content.1.image_url.detail', 'input.1.content.1.detail'],
  ['messages.2.tool_calls.1.function.arguments', 'input.3.arguments'],
  ['messages.3.content', 'input.4.output'],
  ['messages.5.content.1.image_url.url', 'input.5.output.1.image_url'],
])('names the field %s of a chat completion %s in a response', (param, name, more = {}) => {
  const reported = reportedOf(param, 'responses', { ...response, ...more })
  expect(reported).toMatchObject({ param: name, message: `${name} is not supported for this model: so it is.` })
})

it('never throws, whatever is refused', () => {
  const step = fc.oneof(
    fc.constantFrom('messages', 'content', 'tools', 'function', '0', '1', '__proto__', 'constructor', '', 'length'),
    fc.string(),
  )
  fc.assert(
    fc.property(fc.array(step), fc.constantFrom('messages', 'responses'), (steps, dialect) => {
      const reported = reportedOf(steps.join('.'), dialect, dialect === 'messages' ? message : response)
      expect(typeof reported.param).toBe('string')
    }),
  )
})
