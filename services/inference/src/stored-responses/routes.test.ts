import { randomBytes } from 'node:crypto'
import { type AddressInfo, connect } from 'node:net'
import { identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { createBodyBudget } from '@ratchet/service-kit/http/body-budget'
import { createHttpApp } from '@ratchet/service-kit/http/http-app'
import { type NamedKey, signIdentity } from '@ratchet/service-kit/identity/identity'
import { requireIdentity } from '@ratchet/service-kit/identity/require-identity'
import { createDrain } from '@ratchet/service-kit/process/drain'
import { createProcessMetrics } from '@ratchet/telemetry/metrics'
import { eventually } from '@ratchet/testing/eventually'
import { silentLogger } from '@ratchet/testing/silent-logger'
import { staysTrueFor } from '@ratchet/testing/stays-true-for'
import request from 'supertest'
import { createMemoryResponses } from './memory-responses.ts'
import { responseRoutes } from './routes.ts'

const workspaceId = '00000000-0000-7000-8000-0000000000aa'
const outsider = '00000000-0000-7000-8000-0000000000bb'
const requestId = '00000000-0000-7000-8000-000000000001'
const id = '01890000-0000-7000-8000-00000000abcd'
const path = '/v1/responses/resp_0189000000007000800000000000abcd'
const absent = '/v1/responses/resp_0189000000007000800000000000abce'
const key: NamedKey = { id: 'k1', secret: randomBytes(32) }
const at = new Date('2026-03-01T00:00:00Z')
const reply = {
  id: path.slice(14),
  object: 'response',
  created_at: 1_770_000_000,
  status: 'completed',
  model: 'fast',
  output: [],
  usage: null,
}
const inputItems = ['a', 'b', 'c'].map((name) => ({ type: 'message', id: `in_${name}`, role: 'user' }))

/** As no JSON writer writes it. */
const replyWith = (text: string) => JSON.stringify({ ...reply, instructions: text }, null, 1)

/** The routes over one stored response of the workspace. */
async function testApp({ answers = createBodyBudget(1_000_000), text = '' } = {}) {
  const responses = createMemoryResponses()
  await responses.put({
    id,
    workspaceId,
    previousId: null,
    model: 'acme/fast',
    createdAt: at,
    expiresAt: new Date(at.getTime() + 1_000),
    inputItems: JSON.stringify([...inputItems, ...(text === '' ? [] : [{ ...inputItems[0], id: 'in_d', text }])]),
    reply: replyWith(text),
    itemIds: [],
    isUnlogged: false,
  })
  const now = () => at
  return createHttpApp({
    requestId: () => requestId,
    logger: silentLogger,
    metrics: createProcessMetrics('test'),
    health: { drain: createDrain(), checks: {}, now },
    serveMetrics: false,
    routes: (router) => {
      router.use(requireIdentity({ audience: 'inference', keys: [key], now, logger: silentLogger }))
      responseRoutes(router, { responses, answers, now })
    },
  })
}

interface Asked {
  readonly method: 'get' | 'delete' | 'post'
  readonly url: string
  readonly by?: string
}

function headersOf({ method, url, by = workspaceId }: Asked) {
  const bound = { audience: 'inference', requestId, method: method.toUpperCase(), path: url }
  const identity = { workspaceId: by, userId: by, role: 'member' as const, keyId: by }
  return { [requestIdHeader]: requestId, [identityHeader]: signIdentity(key, bound, identity, at.getTime()) }
}

function ask(app: Awaited<ReturnType<typeof testApp>>, asked: Asked) {
  return request(app)[asked.method](asked.url).set(headersOf(asked))
}

it('returns a stored response as it was answered', async () => {
  const response = await ask(await testApp(), { method: 'get', url: `${path}?include[]=message.output_text.logprobs` })
  expect([response.status, response.type, response.text]).toEqual([200, 'application/json', replyWith('')])
})

it('deletes a response permanently', async () => {
  const app = await testApp()
  const deleted = await ask(app, { method: 'delete', url: path })
  expect([deleted.status, deleted.body]).toEqual([200, { id: reply.id, object: 'response', deleted: true }])
  expect((await ask(app, { method: 'get', url: path })).status).toBe(404)
  expect((await ask(app, { method: 'delete', url: path })).status).toBe(404)
})

it('has no background responses to cancel', async () => {
  const { status, body } = await ask(await testApp(), { method: 'post', url: `${path}/cancel` })
  expect([status, body.error.code, body.error.param]).toEqual([400, 'invalid_request', 'id'])
})

it.each([
  ['', ['c', 'b', 'a'], false],
  ['?order=asc', ['a', 'b', 'c'], false],
  ['?order=asc&limit=2', ['a', 'b'], true],
  ['?order=asc&limit=2&after=in_b', ['c'], false],
  ['?limit=1&after=in_c', ['b'], true],
  ['?after=in_a', [], false],
])('lists input items: %s', async (query, names, has_more) => {
  const { body } = await ask(await testApp(), { method: 'get', url: `${path}/input_items${query}` })
  const ids = names.map((name) => `in_${name}`)
  const [first_id, last_id] = [ids[0] ?? null, ids.at(-1) ?? null]
  expect(body).toEqual({
    object: 'list',
    data: ids.map((each) => expect.objectContaining({ id: each })),
    first_id,
    last_id,
    has_more,
  })
})

it.each([
  ['get', `${path}?stream=true`, 'unsupported_parameter', 'stream'],
  ['get', `${path}?starting_after=3`, 'unsupported_parameter', 'starting_after'],
  ['get', `${path}?frobnicate=1`, 'unknown_parameter', 'frobnicate'],
  ['get', `${path}/input_items?limit=0`, 'invalid_request', 'limit'],
  ['get', `${path}/input_items?limit=101`, 'invalid_request', 'limit'],
  ['get', `${path}/input_items?order=up`, 'invalid_request', 'order'],
  ['get', `${path}/input_items?after=in_z`, 'invalid_request', 'after'],
] as const)('refuses %s %s', async (method, url, code, param) => {
  const { status, body } = await ask(await testApp(), { method, url })
  expect([status, body.error.code, body.error.param]).toEqual([400, code, param])
})

it.each([
  ['get', ''],
  ['delete', ''],
  ['post', '/cancel'],
  ['get', '/input_items'],
] as const)('answers %s %s of a foreign response as of one that never was, to the byte', async (method, more) => {
  const app = await testApp()
  const foreign = await ask(app, { method, url: path + more, by: outsider })
  const never = await ask(app, { method, url: absent + more })
  const malformed = await ask(app, { method, url: `/v1/responses/resp_x${more}` })
  expect([foreign.status, foreign.body.error.code]).toEqual([404, 'not_found'])
  expect([never.text, malformed.text]).toEqual([foreign.text, foreign.text])
  expect((await ask(app, { method: 'get', url: path })).status).toBe(200)
})

describe.each([
  ['a response', path],
  ['its input items', `${path}/input_items`],
])('the memory of %s', (_, url) => {
  it('is held until the client has taken the answer', async () => {
    const answers = createBodyBudget(400_000)
    const app = await testApp({ answers, text: 'x'.repeat(90_000) })
    const other = answers.enter(workspaceId)
    other.add(50_000)
    const refused = await ask(app, { method: 'get', url })
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1'])
    expect(refused.body.error.code).toBe('service_unavailable')
    other.leave()
    expect((await ask(app, { method: 'get', url })).status).toBe(200)
    await eventually(() => expect(answers.enter(workspaceId).mayAdd(400_000)).toBe(true))
  })

  it('is held for a client that reads nothing, until it leaves', async () => {
    const answers = createBodyBudget(40_000_000)
    const isFree = () => {
      const other = answers.enter(workspaceId)
      const fits = other.mayAdd(5_000_000)
      other.leave()
      return fits
    }
    const server = (await testApp({ answers, text: 'x'.repeat(9_000_000) })).listen(0)
    const { port } = server.address() as AddressInfo
    const headers = Object.entries(headersOf({ method: 'get', url })).map(([name, value]) => `${name}: ${value}\r\n`)
    const client = connect(port, '127.0.0.1').pause()
    client.write(`GET ${url} HTTP/1.1\r\nhost: x\r\n${headers.join('')}\r\n`)
    await eventually(() => expect(isFree()).toBe(false))
    await staysTrueFor(200, () => expect(isFree()).toBe(false))
    client.destroy()
    await eventually(() => expect(isFree()).toBe(true))
    server.close()
  })
})
