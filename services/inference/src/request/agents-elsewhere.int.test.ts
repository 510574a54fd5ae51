import { codexBody, eventsOf, patch, shell, userMessage } from './codex.fixture.ts'
import { startWireApp } from './wire-app.fixture.ts'

/* What Claude Code and Codex send, on the wires of Google and Bedrock: whole bodies, later steps, and what is left out. */

let wire: Awaited<ReturnType<typeof startWireApp>>
beforeAll(async () => {
  wire = await startWireApp()
})
afterAll(() => wire.stop())

const droppedOf = ({ headers }: { headers: Record<string, string> }) =>
  (headers['x-svc-dropped'] ?? '').split(',').filter((name) => name !== '')
const sentText = () => JSON.stringify(wire.last()?.body)

const models = ['sim-google/tools', 'sim-bedrock/tools']

describe.each(models)('Codex on %s', (model) => {
  const developer = { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Be safe.' }] }
  const codex = {
    ...codexBody,
    model,
    input: [developer, userMessage('<environment_context/>'), userMessage('Fix the bug.')],
  }
  const send = (body: object, headers: Record<string, string> = {}) => wire.send(body, headers, '/v1/responses')

  it('works with its whole body', async () => {
    const answer = await send(codex)
    expect([answer.status, answer.text.slice(0, 6)]).toEqual([200, 'event:'])
    expect(eventsOf(answer.text).at(-1)?.type).toBe('response.completed')
    for (const name of ['shell_command', 'apply_patch']) expect(sentText()).toContain(`"name":"${name}"`)
  })

  it.each<[string, object]>([
    ['web_search', { external_web_access: false }],
    ['namespace', { name: 'mcp', description: 'x', tools: [shell] }],
    ['tool_search', {}],
    ['local_shell', {}],
    ['shell', {}],
    ['apply_patch', {}],
    ['mcp', { server_label: 'a', server_url: 'https://a.test' }],
    ['file_search', { vector_store_ids: ['v'] }],
    ['code_interpreter', { container: { type: 'auto' } }],
    ['image_generation', {}],
  ])('goes on without %s', async (type, more) => {
    const answer = await send({ ...codex, stream: false, tools: [shell, { type, ...more }] })
    expect([answer.status, answer.body.error]).toEqual([200, null])
    expect(droppedOf(answer)).toContain(`tools.${type}`)
  })

  it('calls its custom tools, unstreamed and streamed, and goes on with their results', async () => {
    const body = { ...codex, stream: false, tools: [patch], input: [userMessage('Fix the bug.')] }
    const plain = await send(body)
    const call = plain.body.output.find(({ type }: { type: string }) => type === 'custom_tool_call')
    expect(call).toMatchObject({ name: 'apply_patch', input: expect.any(String), call_id: expect.any(String) })
    const kinds = eventsOf((await send({ ...body, stream: true })).text).map(({ type }) => type)
    expect(kinds).toContain('response.custom_tool_call_input.done')
    const result = { type: 'custom_tool_call_output', call_id: call.call_id, output: 'Done!' }
    const next = await send({ ...body, input: [userMessage('Fix the bug.'), ...plain.body.output, result] })
    expect([next.status, next.body.error]).toEqual([200, null])
  })

  it('reads the items of its history', async () => {
    const input = [
      userMessage('Fix the bug.'),
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: 'gAAA' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }], phase: 'commentary' },
      { type: 'function_call', call_id: 'c0', name: 'shell_command', arguments: '{"command":"ls"}' },
      { type: 'function_call', call_id: 'c9', name: 'shell_command', arguments: 'not JSON' },
      { type: 'function_call_output', call_id: 'c0', output: [{ type: 'input_text', text: 'a.ts' }] },
      { type: 'function_call_output', call_id: 'c9', output: 'failed to parse arguments' },
      { type: 'custom_tool_call', call_id: 'c1', name: 'apply_patch', input: '*** Begin Patch' },
      { type: 'custom_tool_call_output', call_id: 'c1', output: 'Done!' },
      {
        type: 'local_shell_call',
        id: 'l1',
        call_id: 'c2',
        status: 'completed',
        action: { type: 'exec', command: ['ls'] },
      },
      { type: 'local_shell_call_output', call_id: 'c2', output: 'a.ts' },
      { type: 'web_search_call', id: 'w1', status: 'completed', action: { type: 'search', query: 'bugs' } },
      userMessage('Go on.'),
    ]
    const answer = await send({ ...codex, stream: false, input })
    expect([answer.status, answer.body.error]).toEqual([200, null])
    expect(sentText()).toContain('*** Begin Patch')
    expect(droppedOf(answer)).toContain('input.web_search_call')
  })

  it('goes on without a faster tier and in the foreground', async () => {
    const answer = await send({ model, input: 'hi', service_tier: 'priority', background: true })
    expect([answer.status, droppedOf(answer).toSorted()]).toEqual([200, ['background', 'service_tier']])
  })

  it('is refused what it must have', async () => {
    const searching = { tools: [shell, { type: 'web_search' }], tool_choice: { type: 'web_search' } }
    const answer = await send({ model, input: 'hi', ...searching })
    expect([answer.status, answer.body.error.param]).toEqual([400, 'tools.1.type'])
  })
})

describe.each(models)('Claude Code on %s', (model) => {
  const cache_control = { type: 'ephemeral', ttl: '1h' }
  const schema = (properties: object) => ({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties,
    additionalProperties: false,
  })
  const read = { name: 'Read', description: 'Reads.', input_schema: schema({ file_path: { type: 'string' } }) }
  const bash = {
    name: 'Bash',
    description: 'Runs.',
    input_schema: schema({ command: { type: 'string' }, timeout: { type: 'number', exclusiveMinimum: 0 } }),
    eager_input_streaming: true,
  }
  const deferred = { ...read, name: 'mcp__a__b', defer_loading: true }
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } }
  const opening = {
    role: 'user',
    content: [
      { type: 'text', text: '<system-reminder>Today.</system-reminder>' },
      { type: 'text', text: 'Fix the bug.', cache_control },
    ],
  }
  const claudeCode = {
    model,
    max_tokens: 32_000,
    stream: true,
    system: [
      { type: 'text', text: 'You are Claude Code.', cache_control: { ...cache_control, scope: 'global' } },
      { type: 'text', text: 'Rules.', cache_control },
    ],
    tools: [read, bash, deferred],
    messages: [opening],
    thinking: { type: 'adaptive' },
    output_config: { effort: 'high' },
    context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
    metadata: { user_id: '{"device_id":"d","session_id":"s"}' },
    temperature: 1,
  }
  const betas =
    'claude-code-20250219,interleaved-thinking-2025-05-14,context-management-2025-06-27,prompt-caching-scope-2026-01-05,effort-2025-11-24,advanced-tool-use-2025-11-20'
  const send = (body: object) => wire.send(body, { 'anthropic-beta': betas }, '/v1/messages')
  const caller = { type: 'direct' }
  const call = (id: string, name: string, input: object) => ({ type: 'tool_use', id, name, input, caller })
  const result = (id: string, content: unknown, more: object = {}) => ({
    type: 'tool_result',
    tool_use_id: id,
    content,
    ...more,
  })

  it('works with its whole body, streamed', async () => {
    const answer = await send(claudeCode)
    expect([answer.status, eventsOf(answer.text).at(-1)?.type]).toEqual([200, 'message_stop'])
  })

  it.each<[string, readonly object[], unknown]>([
    ['a text', [call('toolu_1', 'Read', { file_path: 'a.ts' })], [result('toolu_1', 'const a = 1')]],
    ['an image', [call('toolu_1', 'Read', { file_path: 'a.png' })], [result('toolu_1', [image])]],
    ['an error', [call('toolu_1', 'Bash', { command: 'x' })], [result('toolu_1', 'no', { is_error: true })]],
    ['nothing', [call('toolu_1', 'Bash', { command: 'true' })], [result('toolu_1', undefined)]],
    [
      'a reference to a tool',
      [call('toolu_1', 'Bash', { command: 'x' })],
      [result('toolu_1', [{ type: 'tool_reference', tool_name: 'mcp__a__b' }])],
    ],
    [
      'several results and a reminder',
      [call('toolu_1', 'Read', {}), call('toolu_2', 'Bash', {})],
      [result('toolu_1', 'a'), result('toolu_2', 'b', { cache_control }), { type: 'text', text: 'Remember.' }],
    ],
  ])('goes on after thinking and a call with %s as its result', async (_what, calls, results) => {
    const thinking = { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' }
    const redacted = { type: 'redacted_thinking', data: 'c2ln' }
    const said = { role: 'assistant', content: [thinking, redacted, { type: 'text', text: 'I look.' }, ...calls] }
    const messages = [opening, said, { role: 'user', content: results }]
    for (const stream of [false, true]) {
      const answer = await send({ ...claudeCode, stream, messages })
      expect([answer.status, answer.body.error]).toEqual([200, undefined])
    }
  })

  it('goes on with its own answer', async () => {
    const first = await send({ ...claudeCode, stream: false })
    const calls = first.body.content.filter(({ type }: { type: string }) => type === 'tool_use')
    expect(calls.length).toBeGreaterThan(0)
    const results = calls.map(({ id }: { id: string }) => result(id, 'done'))
    const messages = [opening, { role: 'assistant', content: first.body.content }, { role: 'user', content: results }]
    const next = await send({ ...claudeCode, stream: false, messages })
    expect([next.status, next.body.error]).toEqual([200, undefined])
  })

  it('asks for a title in JSON', async () => {
    const format = { type: 'json_schema', schema: schema({ title: { type: 'string' } }) }
    const answer = await send({
      ...claudeCode,
      stream: false,
      tools: [],
      thinking: { type: 'disabled' },
      output_config: { format },
    })
    expect([answer.status, answer.body.error]).toEqual([200, undefined])
  })
})
