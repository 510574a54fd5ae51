import { endpoint } from '@ratchet/contracts/endpoint'
import type { Identity } from '@ratchet/contracts/identity'
import { createProcessMetrics } from '@ratchet/telemetry/metrics'
import { fixedClock } from '@ratchet/testing/fixed-clock'
import { silentLogger } from '@ratchet/testing/silent-logger'
import request from 'supertest'
import { z } from 'zod'
import { type NamedKey, signIdentity } from '../identity/identity.ts'
import { requireIdentity } from '../identity/require-identity.ts'
import { createDrain } from '../process/drain.ts'
import { createHttpApp } from './http-app.ts'
import { mountRaw } from './mount.ts'
import { mountJson } from './mount-json.ts'
import type { ChangeRecorder } from './record-change.ts'
import { ServiceError } from './service-error.ts'

const described = { summary: 'S.', description: 'D.', service: 'alias', permission: 'any' } as const
const body = z.looseObject({})
const reply = z.looseObject({})
const change = endpoint({
  ...described,
  method: 'patch',
  path: '/v1/webhooks/:id',
  params: z.object({ id: z.string() }),
  body,
  reply,
})
const create = endpoint({ ...described, method: 'post', path: '/v1/webhooks', body, reply, status: 201 })
const upload = endpoint({ ...described, method: 'post', path: '/v1/files', reply })
const ask = endpoint({ ...described, method: 'post', path: '/v1/evals/estimate', body, reply })

const key: NamedKey = { id: 'k1', secret: Buffer.alloc(32, 1) }
const { now } = fixedClock()
const identity: Identity = {
  workspaceId: '0195a2b0-0000-7000-8000-000000000002',
  userId: '0195a2b0-0000-7000-8000-000000000003',
  role: 'owner',
  keyId: '0195a2b0-0000-7000-8000-000000000004',
}

type Handler = (sent: Readonly<Record<string, unknown>>) => Record<string, unknown>

/** An app that notes, in their order, what was recorded, handled and answered. */
function testApp(handler: Handler = () => ({ id: 'whk_1' }), broken: Partial<ChangeRecorder> = {}) {
  const notes: unknown[] = []
  const lost: unknown[] = []
  const recorder: ChangeRecorder = {
    begin: async (begun) => void notes.push({ begun }),
    end: async (ended) => void notes.push({ ended }),
    ...broken,
  }
  const handle = async (sent: Readonly<Record<string, unknown>>) => {
    notes.push('handled')
    return handler(sent)
  }
  const app = createHttpApp({
    logger: silentLogger,
    metrics: createProcessMetrics('test'),
    health: { drain: createDrain(), checks: {}, now },
    requestId: () => 'r1',
    serveMetrics: false,
    changes: { ...recorder, now, newId: () => 'c1', onLost: (error) => void lost.push(error) },
    routes: (router) => {
      router.use(requireIdentity({ audience: 'alias', keys: [key], now, logger: silentLogger }))
      mountJson(router, change, async (input) => ({ reply: await handle(input.body) }))
      mountJson(router, create, async (input) => {
        const made = await handle(input.body)
        return { reply: made, headers: 'replayed' in made ? { 'Idempotent-Replay': 'true' } : {} }
      })
      mountRaw(router, upload, async (_input, response) => response.json(await handle({})))
      mountJson(router, ask, async (input) => ({ reply: await handle(input.body) }))
    },
  })
  const send = (method: 'patch' | 'post', path: string, sent: object = {}) => {
    const bound = { audience: 'alias', requestId: 'r1', method: method.toUpperCase(), path }
    const signed = signIdentity(key, bound, identity, now().getTime())
    return request(app)[method](path).set({ 'x-request-id': 'r1', 'x-internal-identity': signed }).send(sent)
  }
  return { send, notes, lost }
}

const { workspaceId } = identity
const begun = (action: string, subject: string) => ({
  begun: {
    id: 'c1',
    workspaceId,
    action,
    subject,
    userId: identity.userId,
    keyId: identity.keyId,
    requestId: 'r1',
    at: now(),
  },
})
const ended = (made: object | null, subject: string | null = null) => ({
  ended: { id: 'c1', workspaceId, subject, made },
})

it('stores a change before it is made, and seals it before it is answered, without texts and secrets', async () => {
  const { send, notes } = testApp()
  const sent = { url: 'https://example.com/?token=secret', description: 'Text of Ann', enabled: false, model: 'a/b' }
  expect(await send('patch', '/v1/webhooks/whk_7', sent)).toMatchObject({ status: 200, body: { id: 'whk_1' } })
  const made = { fields: ['url', 'description', 'enabled', 'model'], values: { enabled: false, model: 'a/b' } }
  expect(notes).toEqual([begun('webhook.changed', 'whk_7'), 'handled', ended(made)])
})

it('names what was created by the id in the answer, also of a body that is no JSON', async () => {
  const { send, notes } = testApp(() => ({ dataset: { id: 'ds_1' } }))
  expect((await send('post', '/v1/webhooks')).status).toBe(201)
  await send('post', '/v1/files')
  const made = { fields: [], values: {} }
  expect(notes.filter((note) => note !== 'handled')).toEqual([
    begun('webhook.created', ''),
    ended(made, 'ds_1'),
    begun('file.created', ''),
    ended(made, 'ds_1'),
  ])
})

it.each<[string, number, Handler, object, object | null]>([
  [
    'a refusal',
    404,
    () => {
      throw new ServiceError('not_found', 'No.')
    },
    {},
    null,
  ],
  ['a repetition', 201, () => ({ replayed: true }), {}, null],
  ['a rehearsal', 201, () => ({}), { dry_run: true }, null],
  ['a rehearsal of training', 201, () => ({}), { dryRun: true }, null],
  [
    'an error, of which nobody knows what it left',
    500,
    () => {
      throw new Error('lost')
    },
    {},
    { outcome: 'unknown' },
  ],
])('leaves %s: %i', async (_, status, handler, sent, made) => {
  const { send, notes } = testApp(handler)
  expect((await send('post', '/v1/webhooks', sent)).status).toBe(status)
  expect(notes).toEqual([begun('webhook.created', ''), 'handled', ended(made)])
})

it('makes no change that it cannot record', async () => {
  const { send, notes } = testApp(undefined, { begin: () => Promise.reject(new Error('no database')) })
  expect((await send('patch', '/v1/webhooks/whk_7')).status).toBe(500)
  expect(notes).toEqual([])
})

it('answers for a change that it made and could not seal, and reports it', async () => {
  const { send, lost } = testApp(undefined, { end: () => Promise.reject(new Error('no database')) })
  expect((await send('patch', '/v1/webhooks/whk_7')).status).toBe(200)
  expect(lost).toEqual([new Error('no database')])
})

it('records nothing of what changes nothing', async () => {
  const { send, notes } = testApp()
  expect((await send('post', '/v1/evals/estimate')).status).toBe(200)
  expect(notes).toEqual(['handled'])
})
