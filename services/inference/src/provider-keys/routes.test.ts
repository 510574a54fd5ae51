import { randomUUID } from 'node:crypto'
import { fleetIdentity } from '@ratchet/contracts/identity'
import { testApp } from '@ratchet/testing/service-app'
import request from 'supertest'
import { directoryOf, testNow } from '../app.fixture.ts'
import { catalogOf, modelEntry } from '../catalog/catalog.fixture.ts'
import type { Provider, ProviderFailure, ProviderRequest } from '../wire/provider.ts'
import { defaultSettings, type WorkspaceSettings } from '../workspace-settings/workspace-settings.ts'
import { installedProviderRoutes } from './operator-routes.ts'
import { providerKeyRoutes } from './routes.ts'

const catalog = catalogOf(
  [
    modelEntry('acme/large'),
    modelEntry('acme/small', { output_per_mtok: '0.10', unsupported_parameters: ['max_tokens'] }),
    modelEntry('acme/vectors', { kind: 'embedding', input_per_mtok: '0.08', output_per_mtok: '0' }),
    modelEntry('ranks/best', { kind: 'rerank' }),
    modelEntry('local/<name>', { pattern: '^local/[a-z]{1,20}$' }),
  ],
  ['idle'],
)
const own = { id: 'key', apiKey: 'secret', baseUrl: null }
const withKeys: WorkspaceSettings = {
  ...defaultSettings,
  providerKeys: new Map([
    ['acme', own],
    ['ranks', own],
    ['idle', own],
  ]),
  unusableProviders: new Set(['sealed']),
}

/** A provider that fails in this way, or answers with null, and what it was sent. */
function serving(outcome: ProviderFailure | null, settings = withKeys) {
  const sent: ProviderRequest[] = []
  const provider: Provider = {
    dialects: new Set(['chat', 'embeddings', 'rerank'] as const),
    start(request, listener) {
      sent.push(request)
      if (outcome === null) listener.onReply({} as never)
      else listener.onFailure(outcome)
      return { abort() {}, pause() {}, resume() {} }
    },
  }
  const ofWorkspace = async () => new Map([['acme', 12]])
  const deps = {
    catalog,
    directory: directoryOf(provider),
    settings: { of: () => settings },
    providerOutcomes: { since: async () => [], ofWorkspace },
    now: testNow,
  }
  const { app, headersFor } = testApp({
    audience: 'inference',
    now: testNow,
    routes: (router) => providerKeyRoutes(router, deps),
  })
  const session = { id: randomUUID(), mayGrade: false, isFresh: true }
  const person = { workspaceId: randomUUID(), userId: randomUUID(), role: 'admin', keyId: null, session } as const
  const call = (method: 'get' | 'post', path: string) => {
    const url = `/session/providers${path}`
    return request(app)
      [method](url)
      .set(headersFor(method, url, person))
  }
  return { call, sent }
}

it('lists the providers of the catalog', async () => {
  const { status, body } = await serving(null).call('get', '')
  expect(status).toBe(200)
  const provider = { object: 'provider', name: expect.any(String), requests_7d: 0 }
  expect(body.data).toEqual([
    { ...provider, id: 'acme', models: 3, name_patterns: [], installation_key: true, requests_7d: 12 },
    { ...provider, id: 'ranks', models: 1, name_patterns: [], installation_key: false },
    { ...provider, id: 'local', models: 0, name_patterns: ['local/<name>'], installation_key: false },
    { ...provider, id: 'idle', models: 0, name_patterns: [], installation_key: false },
  ])
})

it('shows operators how the calls of each provider ended, and who is ejected', async () => {
  const provider = { dialects: new Set(['chat'] as const), start: () => ({ abort() {}, pause() {}, resume() {} }) }
  const directory = {
    ...directoryOf(provider),
    ejected: () =>
      [
        { id: 'acme/large', host: 'a' },
        { id: 'acme/small', host: null },
      ] as never,
  }
  const asked: Date[] = []
  const since = async (at: Date) => {
    asked.push(at)
    return [{ provider: 'acme', answered: 90, failed: 10 }]
  }
  const { app, headersFor } = testApp({
    audience: 'inference',
    now: testNow,
    routes: (router) =>
      installedProviderRoutes(router, {
        catalog,
        directory,
        providerOutcomes: { since, ofWorkspace: async () => new Map() },
        now: testNow,
      }),
  })
  const url = '/internal/providers'
  const { status, body } = await request(app)
    .get(url)
    .set(headersFor('get', url, fleetIdentity))
  expect(status).toBe(200)
  expect(body.data[0]).toMatchObject({ id: 'acme', ejected_deployments: 1, answered: 90, failed: 10 })
  expect(body.data[2]).toMatchObject({
    id: 'local',
    models: 0,
    name_patterns: ['local/<name>'],
    answered: 0,
    failed: 0,
  })
  expect(asked).toEqual([new Date(testNow().getTime() - 86_400_000)])
})

describe('a test of a key', () => {
  it('calls the chat model that costs least, with few tokens, and without what it does not support', async () => {
    const { call, sent } = serving(null)
    const { status, body } = await call('post', '/acme/test')
    expect(status).toBe(200)
    expect(body).toEqual({
      object: 'provider_key_test',
      provider: 'acme',
      model: 'acme/small',
      failure: null,
      http_status: null,
      message: null,
      duration_ms: 0,
    })
    const [trial] = sent
    expect(trial?.body).toMatchObject({ model: 'acme/small', messages: [{ role: 'user' }] })
    expect(trial?.body).not.toHaveProperty('max_tokens')
    expect(trial).toMatchObject({ dialect: 'chat', stream: false })
  })

  it('calls another kind of model where a provider has no chat model', async () => {
    const { call, sent } = serving(null)
    await call('post', '/ranks/test')
    expect(sent[0]).toMatchObject({ dialect: 'rerank', body: { query: 'OK', documents: ['OK'] } })
  })

  it.each([
    ['misconfigured', 401, 'misconfigured'],
    ['throttled', 429, 'throttled'],
    ['aborted', undefined, 'timed_out'],
  ] as const)('reports a failure of kind %s', async (kind, httpStatus, failure) => {
    const status = httpStatus === undefined ? {} : { status: httpStatus }
    const { call } = serving({ kind, message: 'So it is.', retryAfterMs: null, ...status })
    const { body } = await call('post', '/acme/test')
    expect(body).toMatchObject({ failure, http_status: httpStatus ?? null, message: 'So it is.' })
  })

  it.each(['acme', 'ranks'])('never calls %s with the key of the installation', async (provider) => {
    const { call, sent } = serving(null, defaultSettings)
    const { status, body } = await call('post', `/${provider}/test`)
    expect([status, body.error.code, sent]).toEqual([404, 'not_found', []])
  })

  it('reports a key that cannot be opened, and calls nothing', async () => {
    const { call, sent } = serving(null, { ...defaultSettings, unusableProviders: new Set(['acme']) })
    const { body } = await call('post', '/acme/test')
    expect([body.failure, sent]).toEqual(['misconfigured', []])
  })

  it.each(['idle', 'nowhere'])('of %s, which has no model, does not exist', async (provider) => {
    expect((await serving(null).call('post', `/${provider}/test`)).status).toBe(404)
  })
})
