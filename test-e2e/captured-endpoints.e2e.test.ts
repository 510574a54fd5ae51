import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { type LoggedRow, readLog } from './logged-exchanges.ts'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'
import { workspaceWith } from './workspace-with.ts'

let fleet: SharedFleet
let workspace: DemoWorkspace

beforeAll(async () => {
  fleet = await shareFleet()
  workspace = await workspaceWith(fleet, { loggingEnabled: true })
}, 300_000)

/** Waits for this number of rows with a tag. */
function logged(tag: string | null, count: number, { workspaceId } = workspace): Promise<readonly LoggedRow[]> {
  return eventually(
    async () => {
      const rows = (await readLog(fleet, workspaceId)).filter((row) => row.tag === tag)
      return rows.length === count ? rows : null
    },
    { withinMs: 45_000, everyMs: 100 },
  )
}

/** Sends a request of any endpoint that calls a model. */
function post(path: string, body: object, headers: Readonly<Record<string, string>> = {}, apiKey = workspace.apiKey) {
  return postText(path, JSON.stringify(body), headers, apiKey)
}

function postText(path: string, body: string, headers: Readonly<Record<string, string>>, apiKey = workspace.apiKey) {
  return fetch(`${fleet.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...headers },
    body,
  })
}

describe('an exchange of another endpoint', () => {
  const said = {
    max_tokens: 50,
    system: 'Be brief.',
    tools: [{ name: 'weather', input_schema: { type: 'object', properties: {} } }],
    messages: [{ role: 'user', content: 'Weather?' }],
  }

  it.each(['sim-anthropic/tools', 'sim/tools'])(
    'is logged like a chat completion: messages of %s',
    async (model) => {
      for (const stream of [false, true]) {
        const answer = await post('/v1/messages', { ...said, model, stream }, { 'x-svc-tag': model })
        expect(answer.headers.get('x-svc-logged')).toBe('on')
        await answer.text()
      }
      const rows = await logged(model, 2)
      expect(rows.map(({ stream }) => stream).toSorted()).toEqual([false, true])
      for (const row of rows) {
        expect(row).toMatchObject({
          requested_model: model,
          finish_reason: 'tool_calls',
          has_tool_calls: true,
          messages: [
            { role: 'system', content: 'Be brief.' },
            { role: 'user', content: 'Weather?' },
          ],
          response: { role: 'assistant', tool_calls: [{ type: 'function', function: { name: 'weather' } }] },
          tools: [{ type: 'function', function: { name: 'weather' } }],
          params: { max_tokens: 50 },
          segment: expect.stringMatching(/^seg_/),
        })
        expect(row.prompt_tokens).toBeGreaterThan(0)
        expect(Number(row.cost_nano)).toBeGreaterThan(0)
      }
    },
    30_000,
  )

  it('has the numbers of its tool calls as its client wrote them', async () => {
    const numbers = '{"id":12345678901234567890,"share":1.10}'
    const messages = [
      { role: 'user', content: 'Find it.' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'find', input: 'NUMBERS' }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'found' }] },
    ]
    const tools = [{ name: 'find', input_schema: { type: 'object', properties: {} } }]
    const body = JSON.stringify({ model: 'sim-anthropic/small', max_tokens: 50, tools, messages })
    const answer = await postText('/v1/messages', body.replaceAll('"NUMBERS"', numbers), { 'x-svc-tag': 'digits' })
    expect([answer.status, answer.headers.get('x-svc-logged')]).toEqual([200, 'on'])
    const [row] = await logged('digits', 1)
    expect(row?.messages).toMatchObject([{}, { tool_calls: [{ function: { arguments: numbers } }] }, {}])
    const entry = await fetch(`${fleet.url}/v1/logs/export?tag=digits`, {
      headers: { authorization: `Bearer ${workspace.apiKey}` },
    })
    expect(await entry.text()).toContain(JSON.stringify(numbers))
  }, 180_000)

  it('is logged where the workspace wants it: responses, with the chain before them', async () => {
    const opted = await workspaceWith(fleet, { loggingEnabled: true, logResponses: true })
    const ask = async (body: object) => {
      const answer = await post('/v1/responses', { model: 'sim/echo', store: true, ...body }, {}, opted.apiKey)
      expect(answer.headers.get('x-svc-logged')).toBe('on')
      return (await answer.json()) as { readonly id: string }
    }
    const { id } = await ask({ instructions: 'Be brief.', input: 'One' })
    await ask({ input: 'Two', previous_response_id: id })
    const rows = await logged(null, 2, opted)
    expect(rows.map(({ messages, response }) => [...messages, response])).toMatchObject([
      [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'One' },
        { role: 'assistant', content: 'One' },
      ],
      [
        { role: 'user', content: 'One' },
        { role: 'assistant', content: 'One' },
        { role: 'user', content: 'Two' },
        { role: 'assistant', content: 'Two' },
      ],
    ])
  }, 180_000)

  it('says why it is not logged', async () => {
    const stateOf = async (...sent: Parameters<typeof post>) => (await post(...sent)).headers.get('x-svc-logged')
    const chat = { model: 'sim/echo', messages: [{ role: 'user', content: 'hello' }] }
    const path = '/v1/chat/completions'
    const keyed = { 'idempotency-key': 'logged-once' }
    expect(await stateOf(path, chat)).toBe('on')
    expect(await stateOf(path, chat, { 'x-svc-log': 'off' })).toBe('off; requested')
    expect(await stateOf(path, chat, {}, fleet.workspace.apiKey)).toBe('off; logging_disabled')
    expect([await stateOf(path, chat, keyed), await stateOf(path, chat, keyed)]).toEqual(['on', 'off; replay'])
    expect(await stateOf(path, { ...chat, model: 'sim/nowhere' })).toBe('off; error')
    expect(await stateOf(path, { ...chat, model: 'sim/fail-500' })).toBe('off; error')
    expect(await stateOf(path, { ...chat, messages: 5 })).toBe('off; error')
  }, 180_000)

  it('has the user, the session and the metadata that its client names, and is found by them', async () => {
    const list = async (query: string) => {
      const headers = { authorization: `Bearer ${workspace.apiKey}` }
      const answer = await fetch(`${fleet.url}/v1/logs?tag=labelled&${query}`, { headers })
      return ((await answer.json()) as { readonly data: readonly object[] }).data
    }
    const chat = { model: 'sim/echo', messages: [{ role: 'user', content: 'hello' }] }
    const labels = { 'x-svc-user': 'ann', 'x-svc-session': 's-1', 'x-svc-metadata-plan': 'pro' }
    await post('/v1/chat/completions', chat, { 'x-svc-tag': 'labelled', ...labels })
    await post('/v1/chat/completions', { ...chat, user: 'bob' }, { 'x-svc-tag': 'labelled' })
    await logged('labelled', 2)
    const ann = { user: 'ann', conversation_id: 's-1', metadata: { plan: 'pro' } }
    for (const query of ['user=ann', 'conversation_id=s-1', 'metadata=plan%3Dpro', 'user=ann&metadata=plan%3Dpro']) {
      expect(await list(query)).toMatchObject([ann])
    }
    expect(await list('user=bob')).toMatchObject([{ user: 'bob', conversation_id: null, metadata: {} }])
    expect(await list('user=bob&metadata=plan%3Dpro')).toEqual([])
    const refused = await post('/v1/chat/completions', chat, { 'x-svc-user': 'a'.repeat(129) })
    expect([refused.status, await refused.json()]).toMatchObject([400, { error: { param: 'X-Svc-User' } }])
  }, 180_000)

  it('belongs to the trace of its traceparent, unless it names another one', async () => {
    const trace = '0af7651916cd43dd8448eb211c80319c'
    const traceparent = `00-${trace}-b7ad6b7169203331-00`
    const chat = { model: 'sim/echo', messages: [{ role: 'user', content: 'hello' }] }
    const traceOf = async (tag: string, headers: Readonly<Record<string, string>>) => {
      await post('/v1/chat/completions', chat, { 'x-svc-tag': tag, ...headers })
      return (await logged(tag, 1))[0]?.trace_id
    }
    expect(await traceOf('traced', { traceparent })).toBe(trace)
    expect(await traceOf('named', { traceparent, 'x-svc-trace-id': 'run-2' })).toBe('run-2')
    expect(await traceOf('untraced', {})).toBeNull()
  }, 180_000)
})

it('keeps a response that turned the log off out of the log, also as a part of what continues it', async () => {
  const own = await workspaceWith(fleet, { loggingEnabled: true, logResponses: true })
  const respond = async (body: object, headers: Readonly<Record<string, string>> = {}) => {
    const answer = await post('/v1/responses', { model: 'sim/echo', ...body }, headers, own.apiKey)
    const { id, output } = (await answer.json()) as { id: string; output: readonly { id: string }[] }
    return { id, item: output[0]?.id, logged: answer.headers.get('x-svc-logged') }
  }
  const secret = await respond({ input: 'Cordelia is ill.' }, { 'x-svc-log': 'off' })
  const next = await respond({ input: 'And now?', previous_response_id: secret.id })
  const last = await respond({ input: 'Still?', previous_response_id: next.id })
  const refers = await respond({
    input: [
      { type: 'item_reference', id: secret.item },
      { role: 'user', content: 'So?' },
    ],
  })
  const other = await respond({ input: 'Hello.' }, { 'x-svc-tag': 'other' })
  expect([secret, next, last, refers, other].map((each) => each.logged)).toEqual([
    'off; requested',
    'off; earlier_turn',
    'off; earlier_turn',
    'off; earlier_turn',
    'on',
  ])
  await logged('other', 1, own)
  const rows = await readLog(fleet, own.workspaceId)
  expect(JSON.stringify(rows.map(({ messages, response }) => [messages, response]))).not.toContain('Cordelia')
}, 180_000)
