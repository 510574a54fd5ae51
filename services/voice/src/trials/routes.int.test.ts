import { uuidOf } from '@ratchet/contracts/public-id'
import { newAgent, newTool, type TestVoiceApp, voiceApp } from '../voice-app.fixture.ts'

let app: TestVoiceApp
beforeAll(async () => {
  app = await voiceApp((turns) => {
    const last = turns.at(-1)
    if (last?.role === 'tool') return 'It is in Berlin.'
    if (last?.text.includes('order') === true) return 'call find_order {"number":"7"}'
    if (last?.text.includes('bye') === true) return 'call end_call {}'
    if (last?.text.includes('break') === true) return 'fails'
    return `Answer to ${last?.text ?? ''}`
  })
  await app.operator.query(
    "INSERT INTO voice_worker (id, seen_at, calls, max_calls) VALUES ('w', now() + interval '1 hour', 0, 9)",
  )
})
afterAll(() => app.drop())

async function agentWithTool() {
  const { body: tool } = await app.send('post', '/v1/tools', { body: { ...newTool, name: `find_order` } })
  const id = tool.id ?? (await app.send('get', '/v1/tools')).body.data[0].id
  return (await app.send('post', '/v1/agents', { body: { ...newAgent, tool_ids: [id] } })).body
}

it('answers one turn in writing, with tools, and says when it would hang up', async () => {
  const agent = await agentWithTool()
  const chat = async (text: string, more: object = {}) => {
    const messages = [
      { role: 'agent', text: 'Hello.' },
      { role: 'caller', text },
    ]
    return app.send('post', `/v1/agents/${agent.id}/chat`, { body: { messages, ...more } })
  }
  const { status, body } = await chat('Hi.', { variables: { company: 'Acme' } })
  expect([status, body]).toEqual([
    200,
    {
      object: 'agent.chat',
      agent_id: agent.id,
      agent_version: 1,
      trace_id: expect.stringMatching(/^trial_[0-9a-f]{32}$/),
      text: 'Answer to Hi.',
      tool_calls: [],
      ends_call: false,
    },
  ])
  const order = app.writers.orders.at(-1)
  expect(order).toMatchObject({ trial: body.trace_id, agentId: uuidOf('agent', agent.id) })
  expect(order?.settings.systemPrompt).toBe('You answer the telephone of Acme.')
  expect((await chat('Where is my order?')).body).toMatchObject({
    text: 'It is in Berlin.',
    tool_calls: [{ name: 'find_order', arguments: '{"number":"7"}', result: '1 tools: find_order {"number":"7"}' }],
  })
  expect((await chat('Good bye.')).body).toMatchObject({ text: '', ends_call: true })
  expect((await chat('Please break.')).body.error.code).toBe('SERVICE_UNAVAILABLE')
  expect((await chat('Hi.', { agent_version: 9 })).status).toBe(404)
  expect((await chat('Hi.', { variables: { city: 'x' } })).body.error.code).toBe('INVALID_BODY')
  const other = await app.send('post', `/v1/agents/${agent.id}/chat`, {
    body: { messages: [{ role: 'caller', text: 'Hi.' }] },
    by: '00000000-0000-7000-8000-00000000000f',
  })
  expect(other.status).toBe(404)
})

it('replays a call against another version, turn by turn, and calls no tools', async () => {
  const agent = await agentWithTool()
  await app.send('patch', `/v1/agents/${agent.id}`, { body: { system_prompt: 'Be curt.', publish: false } })
  const { body: call } = await app.send('post', '/v1/calls/create', { body: { agent_id: agent.id, type: 'web' } })
  const replay = async (version: number) =>
    app.send('post', `/v1/calls/${call.id}/replay`, { body: { agent_version: version } })
  expect((await replay(2)).status).toBe(409)
  await app.send('post', `/v1/calls/${call.id}/stop`)
  const turns: readonly (readonly [string, string, object | null])[] = [
    ['agent', 'Hello.', null],
    ['caller', 'Hi.', null],
    ['agent', 'answer to HI', null],
    ['caller', 'Where is my order?', null],
    ['tool', 'lost', { id: 'c', name: 'find_order', arguments: '{ "number": "7" }' }],
    ['agent', 'It is lost.', null],
    ['caller', 'Please break.', null],
    ['agent', 'No.', null],
  ]
  for (const [index, [role, text, tool]] of turns.entries()) {
    await app.operator.query(
      `INSERT INTO call_turn (call_id, workspace_id, "index", role, text, start_ms, end_ms, interrupted, tool, created_at)
       VALUES ($1, $2, $3, $4, $5, 0, 0, false, $6, now())`,
      [uuidOf('call', call.id), app.workspaceId, index, role, text, tool],
    )
  }
  const { status, body } = await replay(2)
  expect(status).toBe(200)
  expect(body).toMatchObject({ object: 'call.replay', call_id: call.id, agent_version: 2, same: 2, failed: 1 })
  expect(body.steps.map(({ index, replayed, same }: Record<string, unknown>) => [index, replayed, same])).toEqual([
    [2, 'Answer to Hi.', true],
    [4, '', true],
    [5, 'It is in Berlin.', false],
    [7, null, false],
  ])
  expect(body.steps[1]).toMatchObject({
    recorded_tool_calls: [{ name: 'find_order', result: 'lost' }],
    tool_calls: [{ name: 'find_order', arguments: '{"number":"7"}', result: null }],
  })
  expect(app.writers.orders.at(-1)?.settings.systemPrompt).toBe('Be curt.')
  expect((await replay(9)).status).toBe(404)
})

it('fills in values of variables up to the bound of calls, also for a version that a replay names', async () => {
  const variables = [{ name: 'v', required: false, default: null }]
  const agent = (await app.send('post', '/v1/agents', { body: { ...newAgent, system_prompt: 'Be brief.', variables } }))
    .body
  const created = { agent_id: agent.id, type: 'web', variables: { v: 'x'.repeat(2_000) } }
  const { body: call } = await app.send('post', '/v1/calls/create', { body: created })
  await app.send('post', `/v1/calls/${call.id}/stop`)
  await app.send('patch', `/v1/agents/${agent.id}`, { body: { system_prompt: '{{v}}'.repeat(6_000) } })
  const asked = app.writers.orders.length
  const chat = { messages: [{ role: 'caller', text: 'Hi.' }], variables: created.variables }
  const answers = [
    await app.send('post', `/v1/agents/${agent.id}/chat`, { body: chat }),
    await app.send('post', `/v1/calls/${call.id}/replay`, { body: { agent_version: 2 } }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([400, 400])
  expect(app.writers.orders).toHaveLength(asked)
})
