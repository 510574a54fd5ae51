import supertest from 'supertest'
import { signed } from './aliased-app.fixture.ts'
import { startWireApp } from './wire-app.fixture.ts'

let wire: Awaited<ReturnType<typeof startWireApp>>
beforeAll(async () => {
  wire = await startWireApp()
})
afterAll(() => wire.stop())

const messages = [{ role: 'user', content: 'hi' }]
const claudeCode =
  'claude-code-20250219,interleaved-thinking-2025-05-14,context-management-2025-06-27,prompt-caching-scope-2026-01-05,effort-2025-11-24'
const look = { name: 'look', input_schema: { type: 'object', properties: {} } }
const send = (body: object, headers: Record<string, string> = {}) =>
  wire.send({ max_tokens: 64, messages, ...body }, headers, '/v1/messages')

function post(path: string, body: object) {
  return supertest(wire.app).post(path).set(signed(path)).send(body)
}

const everywhere = ['claude-opus-5-5', 'sim-anthropic/tools', 'sim/tools', 'sim-google/tools', 'sim-bedrock/tools']

describe.each(everywhere)('Claude Code on %s', (model) => {
  it('sends its betas', async () => {
    const answer = await send({ model, tools: [look] }, { 'anthropic-beta': claudeCode })
    expect([answer.status, answer.body.error]).toEqual([200, undefined])
    expect(answer.headers['x-svc-dropped']).toBeUndefined()
  })

  it.each([
    'oauth-2025-04-20',
    'files-api-2025-04-14',
    'skills-2025-10-02',
    'code-execution-2025-08-25',
    'new-2030-01-01',
  ])('goes on without %s', async (beta) => {
    const answer = await send({ model }, { 'anthropic-beta': `${claudeCode},${beta}` })
    expect([answer.status, answer.headers['x-svc-dropped']]).toEqual([200, `anthropic-beta:${beta}`])
  })

  it.each([
    ['extended-cache-ttl-2025-04-11'],
    ['advanced-tool-use-2025-11-20'],
    ['tool-search-tool-2025-10-19'],
    ['token-counting-2024-11-01'],
    ['redact-thinking-2026-02-12'],
  ])('takes %s', async (beta) => {
    expect((await send({ model }, { 'anthropic-beta': beta })).status).toBe(200)
  })

  it('has caches of an hour, a managed context and a message of the system', async () => {
    const body = {
      system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral', ttl: '1h' } }],
      context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
      messages: [
        ...messages,
        { role: 'assistant', content: 'Yes?' },
        { role: 'system', content: 'Be kind.' },
        ...messages,
      ],
    }
    const answer = await send({ model, ...body })
    expect([answer.status, answer.body.error]).toEqual([200, undefined])
  })

  it('may search, and answer in a faster tier, where that has a price', async () => {
    const tools = [look, { type: 'web_search_20250305', name: 'web_search', max_uses: 8 }]
    const answer = await send({ model, tools, speed: 'fast' })
    const isPriced = model === 'claude-opus-5-5'
    const dropped = isPriced ? undefined : 'speed,tools.web_search_20250305'
    expect([answer.status, answer.headers['x-svc-dropped']]).toEqual([200, dropped])
    if (isPriced) expect(wire.last()?.body).toMatchObject({ tools, speed: 'fast' })
  })

  it('goes on without tools that have no price', async () => {
    const tools = [look, { type: 'web_fetch_20250910', name: 'web_fetch' }]
    const answer = await send({ model, tools })
    expect([answer.status, answer.headers['x-svc-dropped']]).toEqual([200, 'tools.web_fetch_20250910'])
    expect(JSON.stringify(wire.last()?.body)).not.toContain('web_fetch')
  })

  it('refuses a tool without a price when the model must call it', async () => {
    const tools = [look, { type: 'web_fetch_20250910', name: 'web_fetch' }]
    const answer = await send({ model, tools, tool_choice: { type: 'tool', name: 'web_fetch' } })
    expect([answer.status, answer.body.error.param]).toEqual([400, 'tools.1.type'])
  })

  it('counts its tokens', async () => {
    const answer = await post('/v1/messages/count_tokens', { model, messages, tools: [look] })
    expect([answer.status, answer.body]).toEqual([200, { input_tokens: expect.any(Number) }])
    expect(answer.body.input_tokens).toBeGreaterThan(0)
  })

  it('gets refusals when it is strict', async () => {
    const answer = await send({ model }, { 'anthropic-beta': 'files-api-2025-04-14', 'x-svc-strict': 'on' })
    expect([answer.status, answer.body.error.param]).toEqual([400, 'anthropic-beta'])
  })
})

it('passes on to Anthropic what it can do', async () => {
  const edits = [{ type: 'clear_tool_uses_20250919' }]
  const cache_control = { type: 'ephemeral', ttl: '1h' }
  const system = [{ type: 'text', text: 'Be brief.', cache_control }]
  await send({ model: 'claude-opus-5-5', system, context_management: { edits } }, { 'anthropic-beta': claudeCode })
  expect(wire.last()?.body).toMatchObject({ system, context_management: { edits } })
  expect(wire.last()?.headers['anthropic-beta']).toBe(claudeCode)
})

it('charges a cache of an hour at its own price', async () => {
  const system = (ttl: string) => [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral', ttl } }]
  const chargeOf = async (ttl: string) => {
    const { body } = await send({ model: 'sim-anthropic/large', system: system(ttl) })
    return body.usage
  }
  const [short, long] = [await chargeOf('5m'), await chargeOf('1h')]
  const tokens = long.cache_creation.ephemeral_1h_input_tokens
  expect(tokens).toBeGreaterThan(0)
  expect(short.cache_creation_input_tokens).toBe(tokens)
  // Input and the usual cache cost $2.50 per million tokens, a cache of an hour $5.00, output $10.00.
  const microUsd = (usage: { output_tokens: number }, rate: number) =>
    Math.ceil(tokens * rate + usage.output_tokens * 10)
  expect(Math.round(short.cost_usd * 1e6)).toBe(microUsd(short, 2.5))
  expect(Math.round(long.cost_usd * 1e6)).toBe(microUsd(long, 5))
})

it.each([
  ['gpt-4o-2024-08-06', 'openai/gpt-4o'],
  ['gpt-5-2025-08-07', 'openai/gpt-5'],
  ['o3-mini', 'openai/o3-mini'],
])('knows the dated name %s', async (model, id) => {
  const answer = await wire.send({ model, messages })
  expect([answer.status, answer.headers['x-svc-served-model']]).toEqual([200, id])
})

it.each([
  ['claude-sonnet-4-5-20250929', 'anthropic/claude-sonnet-4-5'],
  ['claude-haiku-4-5-20251001', 'anthropic/claude-haiku-4-5'],
  ['claude-opus-4-5-20251101', 'anthropic/claude-opus-4-5'],
  ['anthropic/claude-opus-4-6[1m]', 'anthropic/claude-opus-4-6'],
])('knows the dated name %s', async (model, id) => {
  const answer = await send({ model })
  expect([answer.status, answer.headers['x-svc-served-model']]).toEqual([200, id])
})

it.each([
  ['gpt-5.4-codex', 'openai/gpt-5.4'],
  ['gpt-5-codex', 'openai/gpt-5'], // which OpenAI has shut down
])('says which model is spelled like %s, which it does not have', async (model, near) => {
  const answer = await wire.send({ model, messages })
  expect([answer.status, answer.body.error.code]).toEqual([404, 'model_not_found'])
  expect(answer.body.error.message).toContain(near)
})

it('counts the tokens of a response before it is made', async () => {
  const answer = await post('/v1/responses/input_tokens', { model: 'gpt-5', input: 'How are you today?' })
  expect([answer.status, answer.body.object]).toEqual([200, 'response.input_tokens'])
  expect(answer.body.input_tokens).toBeGreaterThan(3)
})

describe('the version of Anthropic`s API that a client names', () => {
  const sentVersion = () => wire.last()?.headers['anthropic-version']

  it.each([
    ['2026-10-21', '2026-10-21'],
    ['2023-06-01', '2023-06-01'],
  ])('%s is sent to Anthropic', async (version, sent) => {
    const answer = await send({ model: 'claude-opus-5-5' }, { 'anthropic-version': version })
    expect([answer.status, sentVersion()]).toEqual([200, sent])
  })

  it('is the usual one for a client that names none, and for a version whose answers are not known', async () => {
    await send({ model: 'claude-opus-5-5' })
    expect(sentVersion()).toBe('2023-06-01')
    const answer = await send({ model: 'claude-opus-5-5' }, { 'anthropic-version': '2023-01-01' })
    expect([answer.status, sentVersion()]).toEqual([200, '2023-06-01'])
    expect(answer.headers['x-svc-dropped']).toBe('anthropic-version:2023-01-01')
    const strict = { 'anthropic-version': '2023-01-01', 'x-svc-strict': 'on' }
    const refused = await send({ model: 'claude-opus-5-5' }, strict)
    expect([refused.status, refused.body.error.param]).toEqual([400, 'anthropic-version'])
  })
})
