import { randomUUID } from 'node:crypto'
import { hostileUrls } from '@ratchet/http/hostile-urls.fixture'
import { emptyStorage, fillStorage } from '../artifacts/fill-storage.fixture.ts'
import { httpTool, receiver, staticTool, type ToolApp, toolApp } from './tool-app.fixture.ts'

let app: ToolApp
beforeAll(async () => {
  app = await toolApp()
})
afterAll(() => app.drop())

const path = '/v1/environment_tools'
const secret = 'Bearer very-secret-value'

describe('a tool', () => {
  it('is created, listed, read, changed and deleted', async () => {
    const created = await app.create()
    expect(created).toMatchObject({ object: 'environment_tool', kind: 'static', version: 1, signing_secret: null })
    expect(created.static).toEqual({
      cases: [{ when: { properties: { city: { const: 'Rome' } } }, result: { degrees: 21 } }],
    })
    const { signing_secret: _none, ...shown } = created
    expect((await app.send('get', `${path}/${created.id}`)).body).toEqual(shown)
    expect((await app.send('get', `${path}?kind=static`)).body).toMatchObject({
      object: 'list',
      data: [shown],
      total: 1,
    })
    expect((await app.send('get', `${path}?kind=http`)).body.data).toEqual([])
    const changed = await app.send('patch', `${path}/${created.id}`, {
      max_calls_per_rollout: 3,
      static: { result: null },
    })
    expect(changed.body).toMatchObject({ version: 2, max_calls_per_rollout: 3, static: { result: null, cases: [] } })
    expect((await app.send('delete', `${path}/${created.id}`)).body).toEqual({
      id: created.id,
      object: 'environment_tool',
      deleted: true,
    })
    expect((await app.send('get', `${path}/${created.id}`)).status).toBe(404)
  })

  it('is not there for another workspace', async () => {
    const { id } = await app.create()
    const other = randomUUID()
    const asked = await Promise.all([
      app.send('get', `${path}/${id}`, undefined, other),
      app.send('patch', `${path}/${id}`, { description: 'x' }, other),
      app.send('post', `${path}/${id}/test`, { arguments: {} }, other),
      app.send('delete', `${path}/${id}`, undefined, other),
      app.send('get', `${path}/tool_${'0'.repeat(32)}`, undefined, other),
    ])
    expect(new Set(asked.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    expect(asked.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404])
  })

  it('has a name of its own', async () => {
    const { id, name } = await app.create()
    const other = await app.create()
    expect((await app.send('post', path, staticTool({ name }))).body.error).toMatchObject({
      code: 'conflict',
      param: 'name',
    })
    expect((await app.send('patch', `${path}/${other.id}`, { name })).status).toBe(409)
    expect((await app.send('patch', `${path}/${id}`, { name })).status).toBe(200)
  })
})

describe('refusals', () => {
  it.each([
    ['a kind without its block', { ...staticTool(), kind: 'http' }, '`kind` is `http`, but there is no `http`.'],
    [
      'another block beside it',
      staticTool({ http: { url: 'https://a.example.com' } }),
      '`kind` is `static`, but there is also `http`.',
    ],
    [
      'two spellings that differ',
      staticTool({ sideEffects: true, side_effects: false }),
      '`sideEffects` and `side_effects` are the same field and have different values.',
    ],
  ])('are flat for %s', async (_, body, error) => {
    const { status, body: answer } = await app.send('post', path, body)
    expect([status, answer]).toEqual([400, { error }])
  })

  it.each([
    ['unknown_parameter', staticTool({ color: 'red' }), 'color'],
    ['invalid_request', { ...staticTool(), kind: 'recorded' }, 'kind'],
    ['invalid_request', staticTool({ name: 'two words' }), 'name'],
    ['invalid_request', staticTool({ max_calls_per_rollout: 51 }), 'max_calls_per_rollout'],
    ['invalid_request', staticTool({ parameters: { $ref: 'https://a.example.com' } }), 'parameters'],
    [
      'invalid_request',
      staticTool({ static: { cases: [{ when: { pattern: '(?=a)' }, result: 1 }] } }),
      'static.cases.0.when',
    ],
    ['invalid_request', staticTool({ static: {} }), 'static'],
    ['invalid_request', httpTool('https://a.example.com', {}, { headers: { Host: 'b' } }), 'http.headers'],
    ['invalid_request', httpTool('https://a.example.com', {}, { headers: { 'webhook-id': 'b' } }), 'http.headers'],
    [
      'invalid_request',
      httpTool('https://a.example.com', {}, { headers: { A: 'b' }, secret_headers: { a: 'c'.repeat(9) } }),
      'http.headers',
    ],
    ['invalid_request', httpTool('https://a.example.com', {}, { headers: { a: 'x\r\nEvil: 1' } }), 'http.headers.a'],
    ['invalid_request', httpTool('https://a.example.com', {}, { timeout_ms: 30_001 }), 'http.timeout_ms'],
  ])('say %s of %j', async (code, body, param) => {
    const { body: answer } = await app.send('post', path, body)
    expect(answer.error).toMatchObject({ code, param })
  })

  it('know every address that must not be called', async () => {
    const strict = await toolApp({ loopbackHttp: false })
    for (const [url] of hostileUrls) {
      // A tool may have a query, and too long a text names the same field in other words.
      if (url.includes('?')) continue
      const { status, body } = await strict.send('post', path, httpTool(url))
      expect([url, status, body.error?.param]).toEqual([url, 400, 'http.url'])
    }
    await strict.drop()
  })

  it('keep the kind as it is', async () => {
    const { id } = await app.create()
    expect((await app.send('patch', `${path}/${id}`, { kind: 'http' })).body.error.code).toBe('immutable_parameter')
    expect((await app.send('patch', `${path}/${id}`, { http: { url: 'https://a.example.com' } })).body).toHaveProperty(
      'error',
    )
  })
})

describe('secrets', () => {
  it('are in no answer, whatever is asked, and arrive at the tool', async () => {
    const tool = await receiver((response, body) => response.end(JSON.stringify({ result: body, echo: secret })))
    const created = await app.create(
      httpTool(tool.url, {}, { secretHeaders: { Authorization: secret }, headers: { 'x-a': 'b' } }),
    )
    expect(created.http).toMatchObject({ secret_header_names: ['Authorization'], headers: { 'x-a': 'b' } })
    expect(created.signing_secret).toMatch(/^whsec_/)
    const answers = [
      await app.send('get', `${path}/${created.id}`),
      await app.send('get', path),
      await app.send('post', `${path}/${created.id}/test`, { arguments: { city: 'Rome' } }),
      await app.send('patch', `${path}/${created.id}`, { http: { timeoutMs: 500 } }),
      await app.send('post', `${path}/${created.id}/test`, { arguments: { city: 'Rome' } }),
      await app.send('post', path, httpTool(tool.url, {}, { secretHeaders: { Authorization: `${secret}\n` } })),
      await app.send('patch', `${path}/${created.id}`, { http: { secretHeaders: { Authorization: `${secret}\n` } } }),
    ]
    for (const { text } of [{ text: JSON.stringify({ ...created, signing_secret: '' }) }, ...answers]) {
      expect(text).not.toContain('very-secret')
      expect(text).not.toContain(created.signing_secret)
    }
    expect(tool.received.map(({ headers }) => headers.authorization)).toEqual([secret, secret])
    const { rows } = await app.pool.query('SELECT settings FROM environment_tool_version')
    expect(JSON.stringify(rows)).not.toContain('very-secret')
    tool.close()
  })

  it('are replaced and removed one by one', async () => {
    const tool = await receiver((response) => response.end('{}'))
    const { id } = await app.create(httpTool(tool.url, {}, { secretHeaders: { a: 'first-value', b: 'other-value' } }))
    const changed = await app.send('patch', `${path}/${id}`, {
      http: { secret_headers: { a: null, c: 'third-value' } },
    })
    expect(changed.body.http.secret_header_names).toEqual(['b', 'c'])
    await app.send('post', `${path}/${id}/test`, { arguments: { city: 'Rome' } })
    expect(tool.received[0]?.headers).toMatchObject({ b: 'other-value', c: 'third-value' })
    expect(tool.received[0]?.headers.a).toBeUndefined()
    tool.close()
  })
})

describe('headers', () => {
  it('stay distinct and few over any number of changes', async () => {
    const { id } = await app.create(
      httpTool('https://a.example.com', {}, { headers: { B: 'open' }, secretHeaders: { Authorization: secret } }),
    )
    const change = (http: object) => app.send('patch', `${path}/${id}`, { http })
    expect((await change({ headers: { authorization: 'x' } })).body.error).toMatchObject({ param: 'http.headers' })
    expect((await change({ secretHeaders: { b: secret } })).body.error).toMatchObject({ param: 'http.headers' })
    const renamed = await change({ secretHeaders: { authorization: secret } })
    expect(renamed.body.http.secret_header_names).toEqual(['authorization'])
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`x-${index}`, secret]))
    expect((await change({ secretHeaders: many })).body.error).toMatchObject({ param: 'http.secretHeaders' })
  })

  it('are not sent to another address by whoever may change the tool', async () => {
    const { id } = await app.create(httpTool('https://a.example.com/one', {}, { secretHeaders: { Key: secret } }))
    const change = (http: object) => app.send('patch', `${path}/${id}`, { http })
    const elsewhere = ['https://b.example.com/one', 'https://a.example.com:8443/one', 'https://a.example.com/two']
    for (const url of [...elsewhere, 'https://a.example.com/one?echo=1']) {
      expect((await change({ url })).body.error).toMatchObject({ param: 'http.secretHeaders' })
      expect((await change({ url, secret_headers: { other: secret } })).status).toBe(400)
    }
    expect((await change({ url: 'https://a.example.com:443/one', timeoutMs: 500 })).status).toBe(200)
    expect((await change({ url: 'https://b.example.com', secretHeaders: { key: `${secret} 2` } })).status).toBe(200)
    const removed = await change({ url: 'https://c.example.com', secretHeaders: { key: null } })
    expect(removed.body.http.secret_header_names).toEqual([])
  })
})

describe('a test', () => {
  it('answers as a run would, and says what was wrong', async () => {
    const { id } = await app.create()
    const tested = async (args: object) => (await app.send('post', `${path}/${id}/test`, { arguments: args })).body
    expect(await tested({ city: 'Rome' })).toMatchObject({
      ok: true,
      result: '{"degrees":21}',
      status: null,
      error: null,
    })
    expect(await tested({ city: 'Oslo' })).toMatchObject({ ok: false, error: { code: 'no_case' } })
    expect(await tested({})).toMatchObject({
      ok: false,
      error: { code: 'invalid_arguments' },
      result: expect.stringContaining('city'),
    })
  })

  it('sends no run and no episode to an address', async () => {
    const tool = await receiver((response) => response.writeHead(418).end('teapot'))
    const { id } = await app.create(httpTool(tool.url))
    expect((await app.send('post', `${path}/${id}/test`, { arguments: { city: 'Rome' } })).body).toMatchObject({
      ok: false,
      status: 418,
      error: { code: 'refused', message: 'The tool answered with 418: teapot' },
    })
    expect(tool.received[0]?.body).toMatchObject({
      arguments: { city: 'Rome' },
      run_id: null,
      rollout_id: null,
      step: null,
    })
    tool.close()
  })
})

it('has no larger answers than lists can show', async () => {
  const large = staticTool({ static: { cases: [], default: 'x'.repeat(300_000) } })
  expect((await app.send('post', path, large)).body.error).toMatchObject({ param: 'static' })
  const deep = `{"kind":"static","static":{"result":${'['.repeat(5_000)}${']'.repeat(5_000)}}}`
  expect((await app.send('post', path, JSON.parse(deep))).status).toBe(400)
})

it('stores no definition and no recording beyond the storage quota', async () => {
  const { id } = await app.create()
  await fillStorage(app.operator, app.workspaceId, 2_000)
  const refused = { status: 403, body: { error: { code: 'quota_exceeded' } } }
  const large = { static: { result: 'x'.repeat(10_000) } }
  expect(await app.send('post', path, staticTool(large))).toMatchObject(refused)
  expect(await app.send('patch', `${path}/${id}`, large)).toMatchObject(refused)
  expect((await app.send('get', `${path}/${id}`)).body.version).toBe(1)
  await emptyStorage(app.operator, app.workspaceId)
  expect((await app.send('patch', `${path}/${id}`, large)).status).toBe(200)
  const bytes = async () => {
    const counted = 'SELECT sum(bytes)::int AS bytes FROM stored_bytes WHERE workspace_id = $1'
    return (await app.operator.query<{ bytes: number }>(counted, [app.workspaceId])).rows[0]?.bytes ?? 0
  }
  const before = await bytes()
  const { id: other } = await app.create(staticTool(large))
  expect(await bytes()).toBeGreaterThan(before + 10_000)
  await app.send('delete', `${path}/${other}`)
  expect(await bytes()).toBe(before)
})

describe('a tool from traces', () => {
  const exchange = (i: number, city: string, result: string) => ({
    id: `log_${i}`,
    trace_id: `trace-${i}`,
    tools: [
      { type: 'function', function: { name: 'lookup', description: 'Looks up.', parameters: { type: 'object' } } },
    ],
    messages: [
      {
        role: 'assistant',
        tool_calls: [{ id: 'c', function: { name: 'lookup', arguments: JSON.stringify({ city, session: `s${i}` }) } }],
      },
      { role: 'tool', tool_call_id: 'c', content: result },
    ],
  })
  beforeAll(() => {
    for (let i = 0; i < 100; i += 1) app.exchanges.push(exchange(i, `City ${i % 8}`, `answer ${i % 8}`) as never)
  })

  it('shows its coverage before it is created', async () => {
    const dry = async (more: object) =>
      (await app.send('post', `${path}/from_traces`, { toolName: 'lookup', dryRun: true, ...more })).body
    const poor = await dry({})
    expect(poor).toMatchObject({ tool: null, exchanges_read: 100, calls: 100, distinct: 100, coverage_on_holdout: 0 })
    expect(poor.arguments_seen).toContainEqual({ name: 'session', calls: 100, distinct: 100 })
    expect(await dry({ ignore_arguments: ['session'] })).toMatchObject({
      distinct: 8,
      coverage_on_holdout: 1,
      conflicting: 0,
    })
    expect((await app.send('get', `${path}?kind=recorded`)).body.total).toBe(0)
  })

  it('answers calls as they were answered, also nearly equal ones, and misses as asked', async () => {
    const body = {
      toolName: 'lookup',
      ignoreArguments: ['session'],
      match: 'normalized',
      onMiss: 'static',
      static: { result: 'none' },
    }
    const recorded = await app.send('post', `${path}/from_traces`, body)
    const { id } = recorded.body.tool
    expect(recorded.body.tool).toMatchObject({
      name: 'lookup',
      kind: 'recorded',
      description: 'Looks up.',
      parameters: { type: 'object' },
      recorded: { recordings: 8, match: 'normalized', on_miss: 'static', coverage_on_holdout: 1 },
    })
    const tested = async (city: string) => (await app.send('post', `${path}/${id}/test`, { arguments: { city } })).body
    expect(await tested(' CITY 3')).toMatchObject({ ok: true, result: 'answer 3', recorded_hit: true })
    expect(await tested('City 9')).toMatchObject({ ok: true, result: 'none', recorded_hit: false })
    const run = { workspaceId: app.workspaceId, runId: randomUUID() }
    const forRuns = { use: 'tool', param: 'environment.toolIds' } as const
    await expect(app.calls.check(run, [id], { ...forRuns, onMiss: 'http' })).rejects.toMatchObject({
      code: 'invalid_request',
      param: 'environment.toolIds',
    })
    await app.calls.freeze(run, [id], { ...forRuns, onMiss: 'error' })
    const call = { callId: 'c', rolloutId: 'r', step: 1, seed: 1, toolName: 'lookup', arguments: '{"city":"City 9"}' }
    expect(await app.calls.call(run, call)).toMatchObject({ ok: false, error: { code: 'no_recording' } })
    const strict = await app.send('patch', `${path}/${id}`, { recorded: { onMiss: 'error' } })
    expect(strict.body).toMatchObject({ static: null, recorded: { on_miss: 'error' } })
    expect(await tested('City 9')).toMatchObject({ ok: false, error: { code: 'no_recording' }, recorded_hit: false })
  })

  it('reads no more than some megabytes of calls, the newest', async () => {
    const long = 'x'.repeat(60_000)
    const others = Array.from({ length: 400 }, (_, i) => exchange(1_000 + i, `City ${i}`, `${long}${i}`) as never)
    app.exchanges.unshift(...others)
    try {
      const body = { toolName: 'lookup', dryRun: true }
      const read = (await app.send('post', `${path}/from_traces`, body)).body
      expect(read).toMatchObject({ exchanges_read: 267, calls: 267 })
    } finally {
      app.exchanges.splice(0, others.length)
    }
  })

  it.each([
    ['toolName', { toolName: 'unknown' }],
    ['ignoreArguments', { toolName: 'lookup', keyArguments: ['a'], ignoreArguments: ['b'] }],
    ['static', { toolName: 'lookup', onMiss: 'static' }],
    ['http', { toolName: 'lookup', http: { url: 'https://a.example.com' } }],
  ])('is refused because of %s', async (param, body) => {
    expect((await app.send('post', `${path}/from_traces`, body)).body.error).toMatchObject({
      code: 'invalid_request',
      param,
    })
  })
})
