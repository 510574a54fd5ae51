import { randomUUID } from 'node:crypto'
import { type Method, newAgent, newTool, type TestVoiceApp, voiceApp } from './voice-app.fixture.ts'

let app: TestVoiceApp
beforeAll(async () => {
  app = await voiceApp()
})
afterAll(() => app.drop())

const voice = { env: 'live', scope: 'user' } as const
const newNumber = {
  e164: '+493012345678',
  provider: 'sip',
  sip: { termination_uri: 'sip:trunk.example.com', allowed_ips: ['1.2.3.4'] },
}

/** A workspace with an agent and a tool, and a key of one user of it. */
async function someones() {
  const by = randomUUID()
  const userId = randomUUID()
  const asOwner = (method: Method, path: string, body?: object) => app.send(method, path, { by, body })
  const asUser = (method: Method, path: string, body?: object) => app.send(method, path, { by, userId, voice, body })
  const { body: tool } = await asOwner('post', '/v1/tools', newTool)
  const { body: agent } = await asOwner('post', '/v1/agents', { ...newAgent, tool_ids: [tool.id] })
  return { asOwner, asUser, tool, agent }
}

it('shows a key of one user the agents and tools of that user only, in lists too', async () => {
  const { asOwner, asUser } = await someones()
  const { body: tool } = await asUser('post', '/v1/tools', { ...newTool, name: 'own_tool' })
  const { status, body: agent } = await asUser('post', '/v1/agents', { ...newAgent, tool_ids: [tool.id] })
  expect(status).toBe(201)
  for (const [path, own] of [
    ['/v1/agents', agent.id],
    ['/v1/tools', tool.id],
  ]) {
    const { data, total } = (await asUser('get', path)).body
    expect([total, data.map(({ id }: { id: string }) => id)]).toEqual([1, [own]])
    expect((await asUser('get', `${path}/${own}`)).status).toBe(200)
    // A key of the workspace sees all.
    expect((await asOwner('get', path)).body.total).toBe(2)
    expect((await asOwner('get', `${path}/${own}`)).status).toBe(200)
  }
})

it('answers for agents and tools of others as for those that do not exist', async () => {
  const { asUser, tool, agent } = await someones()
  const absent = (id: string) => id.replace(/[0-9a-f]{8}$/, '00000000')
  const asked: (readonly [Method, (id: string) => string, string, object?])[] = [
    ['get', (id) => `/v1/agents/${id}`, agent.id],
    ['patch', (id) => `/v1/agents/${id}`, agent.id, { name: 'Mine' }],
    ['delete', (id) => `/v1/agents/${id}`, agent.id],
    ['get', (id) => `/v1/agents/${id}/versions`, agent.id],
    ['get', (id) => `/v1/agents/${id}/versions/1`, agent.id],
    ['post', (id) => `/v1/agents/${id}/versions/1/publish`, agent.id],
    ['get', (id) => `/v1/agents/${id}/canary`, agent.id],
    ['post', (id) => `/v1/agents/${id}/chat`, agent.id, { messages: [{ role: 'caller', text: 'Hello' }] }],
    ['get', (id) => `/v1/tools/${id}`, tool.id],
    ['patch', (id) => `/v1/tools/${id}`, tool.id, { description: 'Mine' }],
    ['delete', (id) => `/v1/tools/${id}`, tool.id],
    ['post', (id) => `/v1/tools/${id}/test`, tool.id, { arguments: {} }],
  ]
  for (const [method, pathOf, id, body] of asked) {
    const [foreign, none] = [await asUser(method, pathOf(id), body), await asUser(method, pathOf(absent(id)), body)]
    expect([pathOf(''), foreign.status]).toEqual([pathOf(''), 404])
    expect(foreign.body).toEqual(none.body)
  }
})

it('lets a key of one user put no agent or tool of others into its own things', async () => {
  const { asUser, tool, agent } = await someones()
  const statuses = [
    await asUser('post', '/v1/agents', { ...newAgent, tool_ids: [tool.id] }),
    await asUser('post', '/v1/calls/create', { agent_id: agent.id, type: 'web' }),
    await asUser('post', '/v1/numbers', { ...newNumber, agent_id: agent.id }),
  ].map(({ status }) => status)
  expect(statuses).toEqual([404, 404, 404])
  const { body: own } = await asUser('post', '/v1/agents', newAgent)
  const { body: number } = await asUser('post', '/v1/numbers', newNumber)
  const changed = [
    await asUser('patch', `/v1/agents/${own.id}`, { tool_ids: [tool.id] }),
    await asUser('patch', `/v1/numbers/${number.id}`, { agent_id: agent.id }),
    await asUser('patch', `/v1/numbers/${number.id}`, { agent_id: own.id }),
  ]
  expect(changed.map(({ status }) => status)).toEqual([404, 404, 200])
})
