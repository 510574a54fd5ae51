import { randomBytes, randomUUID } from 'node:crypto'
import { identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { type NamedKey, signIdentity } from '@ratchet/service-kit/identity/identity'
import request from 'supertest'
import { directoryOf, testDeps, testNow } from '../app.fixture.ts'
import { createApp, type InferenceDeps } from '../app.ts'
import { catalogOf, modelEntry } from '../catalog/catalog.fixture.ts'
import { createMemoryLedger } from '../ledger/memory-ledger.ts'
import { createMemoryResponses } from '../stored-responses/memory-responses.ts'
import { createResponseRecorder } from '../stored-responses/response-recorder.ts'
import { readObject } from '../wire/chat/read-reply.ts'
import type { Provider } from '../wire/provider.ts'
import { noUsage } from '../wire/usage.ts'
import { defaultSettings } from '../workspace-settings/workspace-settings.ts'
import { silentProvider, testWorkspaceId } from './request-records.fixture.ts'

const key: NamedKey = { id: 'k1', secret: randomBytes(32) }
const provider: Provider = { ...silentProvider, dialects: new Set(['responses']) }

/** A provider whose every answer is this one. */
function answering(reply: string): Provider {
  return {
    ...provider,
    start(_request, { onReply }) {
      const read = readObject(Buffer.from(reply))
      if (read === null) throw new Error('not an object')
      const usage = { ...noUsage, promptTokens: 1, completionTokens: 1 }
      setImmediate(() => onReply({ bytes: Buffer.from(reply), scan: read.scan, usage, pieces: [] }))
      return { abort() {}, pause() {}, resume() {} }
    },
  }
}

/** A workspace that logs, and so stores responses. */
function testApp(changes: Partial<InferenceDeps> = {}) {
  const ledger = createMemoryLedger()
  ledger.topUp(testWorkspaceId, 1_000_000_000n)
  const settings = { of: () => ({ ...defaultSettings, loggingEnabled: true }) }
  const app = createApp(testDeps(provider, { ledger, settings, identityKeys: [key], ...changes }))
  return (method: 'get' | 'post', path: string, body?: object) => {
    const requestId = randomUUID()
    const bound = { audience: 'inference', requestId, method: method.toUpperCase(), path }
    const caller = { workspaceId: testWorkspaceId, userId: testWorkspaceId, role: 'member' as const }
    const identity = signIdentity(key, bound, { ...caller, keyId: testWorkspaceId }, testNow().getTime())
    return request(app)
      [method](path)
      .set({ [requestIdHeader]: requestId, [identityHeader]: identity })
      .send(body)
  }
}

it('stores a prepared response as it was answered, with its cost', async () => {
  const ask = testApp()
  const prepared = await ask('post', '/v1/responses', { model: 'acme/fast', input: 'hi', generate: false })
  expect([prepared.status, prepared.body.usage.cost_usd]).toEqual([200, 0])
  const stored = await ask('get', `/v1/responses/${prepared.body.id}`)
  expect([stored.status, stored.body]).toEqual([200, prepared.body])
})

it('plans no fallback for a response that is only prepared', async () => {
  const names = ['acme/fast', 'acme/b', 'acme/c', 'acme/d']
  const directory = directoryOf(provider)
  const planned: string[] = []
  const ask = testApp({
    catalog: catalogOf(names.map((name) => modelEntry(name))),
    directory: {
      ...directory,
      deploymentsOf(model, scope) {
        planned.push(model.id)
        return directory.deploymentsOf(model, scope)
      },
    },
  })
  expect((await ask('post', '/v1/responses', { models: names, input: 'hi', generate: false })).status).toBe(200)
  expect(planned).toEqual(['acme/fast'])
})

describe('beyond the storage quota', () => {
  const input = 'hi'
  const fullStore = () => {
    const responses = createMemoryResponses()
    const full: typeof responses = {
      ...responses,
      async put() {
        throw new ServiceError('quota_exceeded', 'full')
      },
    }
    return { responses: full, responseRecorder: createResponseRecorder({ store: full, now: testNow }) }
  }

  it('refuses a prepared response, also when it is repeated with its key', async () => {
    const failures: unknown[] = []
    const ask = testApp({ ...fullStore(), onNotStored: (_id, cause) => void failures.push(cause) })
    const prepare = () =>
      ask('post', '/v1/responses', { model: 'acme/fast', input, generate: false }).set('idempotency-key', 'once')
    for (const { status, body } of [await prepare(), await prepare()]) {
      expect([status, body.error.code]).toEqual([403, 'quota_exceeded'])
    }
    expect(failures).toEqual([])
  })

  it('delivers an answer of a model, and says that it was not stored', async () => {
    const reply = JSON.stringify({ id: 'r', object: 'response', status: 'completed', output: [], usage: null })
    const ask = testApp({ ...fullStore(), directory: directoryOf(answering(reply)) })
    const { status, headers } = await ask('post', '/v1/responses', { model: 'acme/fast', input })
    expect([status, headers['x-svc-store']]).toEqual([200, 'off'])
  })
})
