import { randomBytes } from 'node:crypto'
import { identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { createHttpApp } from '@ratchet/service-kit/http/http-app'
import { type NamedKey, signIdentity } from '@ratchet/service-kit/identity/identity'
import { requireIdentity } from '@ratchet/service-kit/identity/require-identity'
import { createDrain } from '@ratchet/service-kit/process/drain'
import { createProcessMetrics } from '@ratchet/telemetry/metrics'
import { silentLogger } from '@ratchet/testing/silent-logger'
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

/** The routes over one stored response of the workspace. */
async function testApp() {
  const responses = createMemoryResponses()
  await responses.put({
    id,
    workspaceId,
    previousId: null,
    model: 'acme/fast',
    createdAt: at,
    expiresAt: new Date(at.getTime() + 1_000),
    inputItems: JSON.stringify(inputItems),
    reply: JSON.stringify(reply),
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
      responseRoutes(router, { responses, now })
    },
  })
}

interface Asked {
  readonly method: 'get' | 'delete' | 'post'
  readonly url: string
  readonly by?: string
}

function ask(app: Awaited<ReturnType<typeof testApp>>, { method, url, by = workspaceId }: Asked) {
  const bound = { audience: 'inference', requestId, method: method.toUpperCase(), path: url }
  const identity = { workspaceId: by, userId: by, role: 'member' as const, keyId: by }
  const headers = { [requestIdHeader]: requestId, [identityHeader]: signIdentity(key, bound, identity, at.getTime()) }
  return request(app)[method](url).set(headers)
}

it('returns a stored response as it was answered', async () => {
  const response = await ask(await testApp(), { method: 'get', url: `${path}?include[]=message.output_text.logprobs` })
  expect([response.status, response.body]).toEqual([200, reply])
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
