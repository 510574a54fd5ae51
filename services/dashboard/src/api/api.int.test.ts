import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { readMe } from '@ratchet/contracts/dashboard/account'
import { removeMember } from '@ratchet/contracts/dashboard/members'
import { eventually } from '@ratchet/testing/eventually'
import { startTestDashboard, type TestBrowser, type TestDashboard } from '../dashboard.fixture.ts'

let dashboard: TestDashboard
let owner: TestBrowser

beforeAll(async () => {
  dashboard = await startTestDashboard()
  owner = await dashboard.owner('acme')
})
afterAll(() => dashboard.stop())
beforeEach(() => dashboard.edge((_request, response) => void response.end('{}')))

const lastCall = () => dashboard.edgeCalls.at(-1)
const json = { 'content-type': 'application/json' }

it('signs who calls, in which workspace, with which role, for this one request', async () => {
  const answer = await owner.send('/api/w/acme/v1/logs?limit=3&tag=a%20b')
  expect(answer.status).toBe(200)
  const { user, session } = await owner.call(readMe)
  const { rows } = await dashboard.pool.query("SELECT id FROM workspace WHERE slug = 'acme'")
  expect(lastCall()).toMatchObject({
    method: 'GET',
    path: '/v1/logs?limit=3&tag=a%20b',
    identity: {
      workspaceId: rows[0].id,
      userId: user?.id,
      role: 'owner',
      keyId: null,
      session: { id: session?.id, mayGrade: true, isFresh: true },
    },
  })
})

it('says of a member who may not grade, and of a sign-in that is old', async () => {
  const member = await dashboard.member(owner, 'acme', { role: 'member' })
  await dashboard.pool.query("UPDATE auth_session SET created_at = now() - interval '16 minutes' WHERE user_id = $1", [
    (await member.call(readMe)).user?.id,
  ])
  await member.send('/api/w/acme/session/review/rounds')
  expect(lastCall()?.identity).toMatchObject({ role: 'member', session: { mayGrade: false, isFresh: false } })
  const grader = await dashboard.member(owner, 'acme', { role: 'member', may_grade: true })
  await grader.send('/api/w/acme/session/review/rounds')
  expect(lastCall()?.identity).toMatchObject({ role: 'member', session: { mayGrade: true, isFresh: true } })
})

it('passes the headers that the API reads, and neither cookies nor keys nor identities', async () => {
  const passed = { ...json, 'idempotency-key': 'k1', 'if-match': '3', 'x-svc-tag': 'playground', 'x-svc-log': 'off' }
  const hostile = {
    authorization: 'Bearer sk_svc_x',
    'x-api-key': 'k',
    'x-internal-identity': 'v1.forged',
    'x-other': '1',
  }
  await owner.send('/api/w/acme/v1/evals', { method: 'POST', headers: { ...passed, ...hostile }, body: '{"a":1}' })
  const { headers, identity } = lastCall() ?? { headers: {}, identity: null }
  expect(identity).not.toBeNull()
  expect(headers).toMatchObject({ ...passed, 'content-length': '7' })
  for (const name of ['cookie', 'authorization', 'x-api-key', 'x-other', 'origin'])
    expect(headers).not.toHaveProperty(name)
})

it('returns status, headers and body of the API, without cookies of it', async () => {
  dashboard.edge((_request, response) =>
    response.writeHead(412, { ...json, etag: '"3"', 'retry-after': '7', 'set-cookie': 'a=b' }).end('{"error":{}}'),
  )
  const answer = await owner.send('/api/w/acme/v1/evals')
  expect([answer.status, await answer.text()]).toEqual([412, '{"error":{}}'])
  expect(answer.headers.get('etag')).toBe('"3"')
  expect(answer.headers.get('retry-after')).toBe('7')
  expect(answer.headers.getSetCookie()).toEqual([])
  expect(answer.headers.get('cache-control')).toBe('no-store')
})

it('lets no answer of the API do anything as a document', async () => {
  dashboard.edge((_request, response) => {
    const headers = { 'content-type': 'text/html', 'content-security-policy': "default-src 'self'" }
    response.writeHead(200, headers).end('<script src="/api/w/acme/v1/files/x/content"></script>')
  })
  const { headers } = await owner.send('/api/w/acme/v1/files/x/content')
  expect(headers.get('content-security-policy')).toMatch(/^default-src 'none';/)
  expect(headers.get('x-content-type-options')).toBe('nosniff')
})

it('streams an answer as it arrives', async () => {
  let finish = () => {}
  dashboard.edge((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n')
    finish = () => response.end('data: 2\n\n')
  })
  const answer = await owner.send('/api/w/acme/v1/chat/completions', { method: 'POST', headers: json, body: '{}' })
  const reader = answer.body?.getReader()
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('data: 1\n\n')
  finish()
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('data: 2\n\n')
})

it('sends a long reply compressed to a browser that reads that: a run of 2,000 spans has less than 300 KB', async () => {
  const span = (n: number) => ({
    span_id: n.toString(16).padStart(16, '0'),
    parent_span_id: randomBytes(8).toString('hex'),
    name: `tool ${n}`,
    kind: 'tool',
    started_at: new Date(1_800_000_000_000 + n * 997).toISOString(),
    ended_at: new Date(1_800_000_000_000 + n * 1_201).toISOString(),
    status: 'ok',
    attributes: {},
  })
  const reply = JSON.stringify({ object: 'trace', data: [], spans: Array.from({ length: 2_000 }, (_, n) => span(n)) })
  expect(reply.length).toBeGreaterThan(400_000)
  // In pieces, without a length, as logging sends it.
  dashboard.edge((_request, response) => {
    response.writeHead(200, json)
    for (let from = 0; from < reply.length; from += 50_000) response.write(reply.slice(from, from + 50_000))
    response.end()
  })
  const read = async (encoding: string) => {
    const headers = { cookie: owner.cookie, 'accept-encoding': encoding }
    const sent = httpRequest(`${dashboard.url}/api/w/acme/v1/traces/t1?content=none`, { headers }).end()
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    const chunks: Buffer[] = []
    for await (const chunk of answer) chunks.push(chunk)
    const bytes = Buffer.concat(chunks)
    const { 'content-encoding': used } = answer.headers
    return { used, bytes: bytes.length, text: String(used === 'gzip' ? gunzipSync(bytes) : bytes) }
  }
  const compressed = await read('gzip, deflate, br')
  expect(compressed).toMatchObject({ used: 'gzip', text: reply })
  expect(compressed.bytes).toBeLessThan(300_000)
  expect(await read('identity')).toEqual({ used: undefined, text: reply, bytes: reply.length })
})

it.each([
  ['a short reply', 'GET', { ...json, 'content-length': '2' }, '{}'],
  ['an error', 'GET', json, '{}', 400],
  ['a version that is compared', 'GET', { ...json, etag: '"3"' }, '{}'],
  ['a stream of events', 'GET', { 'content-type': 'text/event-stream' }, 'data: 1'],
  ['a file', 'GET', { 'content-type': 'application/jsonl' }, '{}'],
  ['the reply to a change', 'POST', json, '{}'],
])('does not compress %s', async (_what, method, headers, body, status = 200) => {
  dashboard.edge((_request, response) => void response.writeHead(status, headers).end(body))
  const sent = method === 'GET' ? {} : { body: '{}', headers: json }
  const answer = await owner.send('/api/w/acme/v1/evals', { method, ...sent })
  expect(answer.headers.get('content-encoding')).toBeNull()
  expect(await answer.text()).toBe(body)
})

it('passes large uploads and downloads unchanged', async () => {
  const bytes = randomBytes(24 * 1024 * 1024)
  const received: Buffer[] = []
  dashboard.edge((request, response) => {
    request.on('data', (chunk: Buffer) => received.push(chunk)).on('end', () => response.end(Buffer.concat(received)))
  })
  const headers = { 'content-type': 'multipart/form-data; boundary=x' }
  const answer = await owner.send('/api/w/acme/v1/files', { method: 'POST', headers, body: bytes })
  expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true)
})

it('delivers an answer that comes before the upload is complete', async () => {
  dashboard.edge((_request, response) => response.writeHead(413, json).end('{"error":{"code":"request_too_large"}}'))
  const sent = httpRequest(`${dashboard.url}/api/w/acme/v1/files`, {
    method: 'POST',
    headers: { origin: dashboard.origin, cookie: owner.cookie, 'content-type': 'multipart/form-data; boundary=x' },
  })
  for (let part = 0; part < 32; part++) sent.write(Buffer.alloc(262_144))
  const [answer] = await once(sent, 'response')
  expect(answer.statusCode).toBe(413)
  sent.destroy()
})

it('ends the call of the API when the browser leaves', async () => {
  let isClosed = false
  dashboard.edge((_request, response) => {
    response.writeHead(200).write('x')
    response.once('close', () => {
      isClosed = true
    })
  })
  const leaving = new AbortController()
  const answer = await owner.send('/api/w/acme/v1/logs', { signal: leaving.signal })
  await answer.body?.getReader().read()
  leaving.abort()
  await eventually(() => isClosed)
})

it('logs no failure when the browser leaves before the answer', async () => {
  let isClosed = false
  dashboard.edge((_request, response) => {
    response.once('close', () => {
      isClosed = true
    })
  })
  const before = dashboard.logLines.length
  const leaving = new AbortController()
  const calls = dashboard.edgeCalls.length
  const sent = owner.send('/api/w/acme/v1/logs', { signal: leaving.signal }).catch(() => undefined)
  await eventually(() => dashboard.edgeCalls.length > calls)
  leaving.abort()
  await sent
  await eventually(() => isClosed)
  expect(dashboard.logLines.slice(before)).toEqual([])
})

it('cuts an answer that the API breaks off', async () => {
  dashboard.edge((_request, response) => {
    response.writeHead(200, { 'content-length': '10' }).write('x', () => response.destroy())
  })
  const answer = await owner.send('/api/w/acme/v1/logs')
  await expect(answer.text()).rejects.toThrow()
})

it.each([
  ['does not answer', (): void => undefined, 503],
  ['refuses the identity', 401, 502],
])('answers 5xx when the API %s', async (_name, script, status) => {
  dashboard.edge((request, response) => {
    if (typeof script === 'number') response.writeHead(script).end()
    else request.socket.destroy()
  })
  const before = dashboard.logLines.length
  const answer = await owner.send('/api/w/acme/v1/logs')
  expect(answer.status).toBe(status)
  const refused = dashboard.logLines.slice(before).filter(({ event }) => event === 'edge_refused_identity')
  expect(refused).toHaveLength(status === 502 ? 1 : 0)
})

describe('nothing reaches the API', () => {
  const untouched = async (sent: Promise<Response>, status: number) => {
    const before = dashboard.edgeCalls.length
    expect((await sent).status).toBe(status)
    expect(dashboard.edgeCalls.length).toBe(before)
  }
  const post = { method: 'POST', headers: json, body: '{}' }

  it('without a session', () => untouched(dashboard.browser().send('/api/w/acme/v1/logs'), 401))

  it('from people of another workspace', async () => {
    const outsider = await dashboard.owner('other')
    await untouched(outsider.send('/api/w/acme/v1/logs'), 404)
    await untouched(outsider.send('/api/w/acme/session/wallet'), 404)
    await untouched(outsider.send('/api/w/nothing/v1/logs'), 404)
  })

  it('from a page of another site, or with a body that a form can send', async () => {
    const foreign = { ...post, headers: { ...json, origin: 'https://evil.example' } }
    await untouched(owner.send('/api/w/acme/v1/evals', foreign), 403)
    const crossSite = { ...post, headers: { ...json, 'sec-fetch-site': 'cross-site' } }
    await untouched(owner.send('/api/w/acme/v1/evals', crossSite), 403)
    await untouched(owner.send('/api/w/acme/v1/evals', { ...post, headers: { 'content-type': 'text/plain' } }), 415)
  })

  it('of a member who was removed', async () => {
    const member = await dashboard.member(owner, 'acme', { role: 'admin' })
    const user_id = (await member.call(readMe)).user?.id ?? ''
    expect((await member.send('/api/w/acme/v1/logs')).status).toBe(200)
    await owner.call(removeMember, { params: { slug: 'acme', user_id } })
    await untouched(member.send('/api/w/acme/v1/logs'), 404)
  })

  it.each([
    '/api/w/acme/internal/catalog',
    '/api/w/acme/metrics',
    '/api/w/acme/v2/x',
    '/api/w/acme/v1',
    '/api/w/a%2Fb/v1/logs',
  ])('at %s', (path) => untouched(owner.send(path), 404))

  it.each(['OPTIONS', 'TRACE'])('with the method %s', async (method) => {
    const before = dashboard.edgeCalls.length
    const sent = httpRequest(`${dashboard.url}/api/w/acme/v1/logs`, { method, headers: { cookie: owner.cookie } }).end()
    const [answer] = await once(sent, 'response')
    answer.resume()
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
    expect(dashboard.edgeCalls.length).toBe(before)
  })
})

it('keeps room for other workspaces while one holds every call that it may have', async () => {
  const starved = await dashboard.owner('starved')
  dashboard.edge((_request, response, { path }) => {
    if (path === '/v1/models') return void response.end('{}')
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n')
  })
  const leave = new AbortController()
  const { signal } = leave
  const calls = Array.from({ length: 600 }, () =>
    owner.send('/api/w/acme/v1/chat/completions', { method: 'POST', headers: json, body: '{}', signal }),
  )
  const begun = () => dashboard.edgeCalls.filter(({ path }) => path.endsWith('completions')).length
  await eventually(() => expect(begun()).toBeGreaterThan(60))
  expect((await starved.send('/api/w/starved/v1/models')).status).toBe(200)
  // The answers are kept, because one that nothing refers to is ended.
  const answers = await Promise.all(calls)
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(64)
  expect(answers.filter(({ status }) => status === 503)).toHaveLength(536)
  leave.abort()
  // Every place is free again.
  await eventually(async () => expect((await owner.send('/api/w/acme/v1/models')).status).toBe(200))
}, 30_000)
