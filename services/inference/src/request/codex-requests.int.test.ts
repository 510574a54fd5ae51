import { codexBody, eventsOf, patch, shell, userMessage } from './codex.fixture.ts'
import { startWireApp } from './wire-app.fixture.ts'

let wire: Awaited<ReturnType<typeof startWireApp>>
beforeAll(async () => {
  wire = await startWireApp()
})
afterAll(() => wire.stop())

const send = (body: object, headers: Record<string, string> = {}) => wire.send(body, headers, '/v1/responses')
const droppedOf = ({ headers }: { headers: Record<string, string> }) => (headers['x-svc-dropped'] ?? '').split(',')

const claude = ['claude-opus-5-5', 'sim-anthropic/tools']

describe.each(claude)('Codex on %s', (model) => {
  it('works with its whole body', async () => {
    const answer = await send({ ...codexBody, model })
    expect([answer.status, answer.text.slice(0, 6)]).toEqual([200, 'event:'])
    expect(droppedOf(answer)).toEqual(expect.arrayContaining(['text.verbosity', 'client_metadata']))
    expect(eventsOf(answer.text).at(-1)?.type).toBe('response.completed')
    const names = wire.last()?.body.tools.map(({ name }: { name: string }) => name)
    expect(names).toEqual(['shell_command', 'apply_patch'])
  })

  it.each([
    [{ type: 'web_search', external_web_access: false }, 'tools.web_search'],
    [{ type: 'namespace', name: 'mcp', description: 'x', tools: [shell] }, 'tools.namespace'],
    [{ type: 'tool_search' }, 'tools.tool_search'],
    [{ type: 'local_shell' }, 'tools.local_shell'],
    [{ type: 'shell' }, 'tools.shell'],
    [{ type: 'apply_patch' }, 'tools.apply_patch'],
    [{ type: 'mcp', server_label: 'a', server_url: 'https://a.test' }, 'tools.mcp'],
    [{ type: 'file_search', vector_store_ids: ['v'] }, 'tools.file_search'],
    [{ type: 'code_interpreter', container: { type: 'auto' } }, 'tools.code_interpreter'],
    [{ type: 'image_generation' }, 'tools.image_generation'],
  ])('goes on without %j', async (tool, dropped) => {
    const answer = await send({ model, input: 'hi', tools: [shell, tool] })
    expect([answer.status, droppedOf(answer)]).toEqual([200, [dropped]])
  })

  it('calls its custom tools, unstreamed and streamed', async () => {
    const body = { model, input: 'Fix the bug.', tools: [patch] }
    const plain = await send(body)
    expect(plain.status).toBe(200)
    const call = plain.body.output.find(({ type }: { type: string }) => type === 'custom_tool_call')
    expect(call).toMatchObject({ name: 'apply_patch', input: expect.any(String), call_id: expect.any(String) })
    const events = eventsOf((await send({ ...body, stream: true })).text)
    const kinds = events.map(({ type }) => type)
    expect(kinds).toContain('response.custom_tool_call_input.done')
    expect(kinds).not.toContain('response.function_call_arguments.done')
    const done = events.find(({ type }) => type === 'response.custom_tool_call_input.done')
    const item = events.find(
      ({ type, item }) => type === 'response.output_item.done' && item.type === 'custom_tool_call',
    )
    expect(item.item).toMatchObject({ name: 'apply_patch', input: done.input, status: 'completed' })
  })

  it('reads calls of its other tools in the history', async () => {
    const input = [
      userMessage('Fix the bug.'),
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
    const answer = await send({ ...codexBody, model, stream: false, input })
    expect([answer.status, answer.body.error]).toEqual([200, null])
    const sent = JSON.stringify(wire.last()?.body.messages)
    expect(sent).toContain('"input":{"input":"*** Begin Patch"}')
    expect(sent).toContain('"name":"local_shell"')
    expect(droppedOf(answer)).toContain('input.web_search_call')
  })

  it('goes on without a faster tier and in the foreground', async () => {
    const answer = await send({ model, input: 'hi', service_tier: 'priority', background: true })
    expect([answer.status, droppedOf(answer).toSorted()]).toEqual([200, ['background', 'service_tier']])
  })

  it.each<[object, string]>([
    [{ tools: [shell, { type: 'web_search' }], tool_choice: { type: 'web_search' } }, 'tools.1.type'],
    [{ tools: [{ type: 'web_search' }], tool_choice: 'required' }, 'tools.0.type'],
    [{ conversation: 'c' }, 'conversation'],
    [{ prompt: { id: 'p' } }, 'prompt'],
  ])('refuses %j', async (more, param) => {
    const answer = await send({ model, input: 'hi', ...more })
    expect([answer.status, answer.body.error.param]).toEqual([400, param])
  })

  it.each<[object, string]>([
    [{ tools: [{ type: 'web_search' }] }, 'tools.0.type'],
    [{ tools: [patch] }, 'tools.0.type'],
    [{ text: { verbosity: 'low' } }, 'text.verbosity'],
    [{ client_metadata: {} }, 'client_metadata'],
    [{ background: true }, 'background'],
  ])('gets a refusal of %j when it is strict', async (more, param) => {
    const answer = await send({ model, input: 'hi', ...more }, { 'x-svc-strict': 'on' })
    expect([answer.status, answer.body.error.param]).toEqual([400, param])
  })
})

describe('Codex on a model of OpenAI', () => {
  it('is passed on, with a limit for the tools that OpenAI runs at a price', async () => {
    const tools = [shell, patch, { type: 'web_search', external_web_access: false }]
    const answer = await send({ ...codexBody, model: 'gpt-6-sol', tools })
    expect([answer.status, droppedOf(answer)]).toEqual([200, ['']])
    expect(wire.last()?.body).toMatchObject({ tools, max_tool_calls: 4, text: { verbosity: 'low' } })
  })

  it('is passed on without tools that have no price', async () => {
    const answer = await send({ ...codexBody, model: 'gpt-6-sol', tools: [shell, { type: 'image_generation' }] })
    expect([answer.status, droppedOf(answer)]).toEqual([200, ['tools.image_generation']])
    expect(wire.last()?.body.tools).toEqual([shell])
  })

  it.each([
    { type: 'local_shell' },
    { type: 'shell' },
    { type: 'apply_patch' },
    { type: 'tool_search', execution: 'client' },
  ])('is given %j, which the client runs', async (tool) => {
    await send({ ...codexBody, model: 'gpt-6-sol', tools: [shell, tool] })
    expect(wire.last()?.body.tools).toEqual([shell, tool])
  })

  it('gives no tool that OpenAI runs to the model inside of its input', async () => {
    const item = { type: 'additional_tools', role: 'developer', tools: [{ type: 'web_search' }] }
    const answer = await send({ model: 'gpt-6-sol', input: [item, userMessage('hi')] })
    expect([answer.status, droppedOf(answer)]).toEqual([200, ['input.additional_tools']])
    expect(JSON.stringify(wire.last()?.body)).not.toContain('web_search')
  })

  it('leaves out a call that would open its container again, which may be that of another workspace', async () => {
    const item = { type: 'code_interpreter_call', id: 'ci_1', container_id: 'cntr_1', code: '1', outputs: [] }
    const answer = await send({ model: 'gpt-6-sol', input: [item, userMessage('hi')] })
    expect([answer.status, droppedOf(answer)]).toEqual([200, ['input.code_interpreter_call']])
    expect(JSON.stringify(wire.last()?.body)).not.toContain('cntr_1')
  })

  it('refuses items of an unknown type', async () => {
    const answer = await send({ model: 'gpt-6-sol', input: [{ type: 'new_tools', tools: [] }, userMessage('hi')] })
    expect([answer.status, answer.body.error.param]).toEqual([400, 'input.0.type'])
  })

  it.each([
    ['gpt-6-sol', 'priority', '', 'priority'],
    ['gpt-6-sol', 'flex', '', 'flex'],
    ['gpt-4.1', 'priority', 'service_tier', undefined],
  ])('gives %s the tier %s if that has a price', async (model, service_tier, dropped, sent) => {
    const answer = await send({ model, input: 'hi', service_tier })
    expect([answer.status, droppedOf(answer)]).toEqual([200, [dropped]])
    expect(wire.last()?.body.service_tier).toBe(sent)
  })

  it('may ask a model without reasoning for encrypted reasoning', async () => {
    const answer = await send({ ...codexBody, model: 'sim/tools' })
    expect([answer.status, answer.text.slice(0, 6)]).toEqual([200, 'event:'])
  })

  it('is refused a tool that OpenAI would run when it is strict', async () => {
    const body = { model: 'gpt-6-sol', input: 'hi', tools: [{ type: 'image_generation' }] }
    const answer = await send(body, { 'x-svc-strict': 'on' })
    expect([answer.status, answer.body.error.param]).toEqual([400, 'tools.0.type'])
  })
})
