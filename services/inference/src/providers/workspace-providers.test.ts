import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startUpstreamCall } from '@ratchet/http/upstream-call'
import type { CatalogProvider } from '../catalog/catalog.ts'
import type { Provider, ProviderRequest } from '../wire/provider.ts'
import type { ProviderKey } from '../workspace-settings/workspace-settings.ts'
import { createWorkspaceProviders, type ProviderAccess, type WorkspaceProvidersOptions } from './workspace-providers.ts'

const openai: CatalogProvider = {
  id: 'openai',
  name: 'OpenAI',
  adapter: 'openai',
  baseUrl: 'https://api.openai.example/v1',
  apiKeyEnv: 'OPENAI_API_KEY',
  concurrencyMax: 10,
}
const key: ProviderKey = { id: 'key-1', apiKey: 'sk-1', baseUrl: null }
const minuteMs = 60_000
const undo: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const step of undo.splice(0)) await step()
})

/** Providers that only record how they would be called. */
function fixture(options: Partial<WorkspaceProvidersOptions> = {}) {
  const made: ProviderAccess[] = []
  const state = { nowMs: 0 }
  const providers = createWorkspaceProviders({
    createProvider: (_provider, access): Provider => {
      made.push(access)
      return { dialects: new Set(['chat']), start: () => ({ abort() {}, pause() {}, resume() {} }) }
    },
    platformBaseUrl: ({ baseUrl }) => baseUrl,
    rules: { customHosts: true, allowedHosts: new Set() },
    connections: 2,
    connectTimeoutMs: 1_000,
    clockMs: () => state.nowMs,
    ...options,
  })
  undo.push(() => providers.destroy())
  return { providers, made, state }
}

/** The outcome of a call: a kind of failure with the code of its cause, or `end`. */
function call({ upstream, basePath }: ProviderAccess): Promise<string> {
  const clocks = { firstByteMs: 5_000, idleMs: 5_000, totalMs: 5_000 }
  return new Promise((resolve) => {
    startUpstreamCall(
      upstream,
      { method: 'POST', path: `${basePath}/chat`, headers: {}, body: Buffer.from('{}'), clocks },
      {
        onHead: () => undefined,
        onData: () => undefined,
        onEnd: () => resolve('end'),
        onFailure: ({ kind, cause }) => resolve(`${kind} ${(cause as NodeJS.ErrnoException | undefined)?.code ?? ''}`),
      },
    )
  })
}

it('creates one provider for a key, at the address that the operator sets', () => {
  const { providers, made } = fixture({ platformBaseUrl: () => 'https://proxy.internal/openai/v1/' })
  const first = providers.of({ workspaceId: 'w1', provider: openai, key })
  expect(providers.of({ workspaceId: 'w1', provider: openai, key })).toBe(first)
  const baseUrl = 'https://proxy.internal/openai/v1'
  expect(made).toEqual([{ apiKey: 'sk-1', baseUrl, basePath: '/openai/v1', upstream: expect.anything() }])
})

it('shares nothing between workspaces, providers and keys', () => {
  const { providers, made } = fixture()
  providers.of({ workspaceId: 'w1', provider: openai, key })
  providers.of({ workspaceId: 'w2', provider: openai, key })
  providers.of({ workspaceId: 'w1', provider: { ...openai, id: 'groq' }, key })
  providers.of({ workspaceId: 'w1', provider: openai, key: { ...key, id: 'key-2' } })
  expect(new Set(made.map(({ upstream }) => upstream)).size).toBe(4)
})

it('checks every address that a workspace enters, and cannot be redirected to a refused one', async () => {
  const { providers, made } = fixture({ resolve: async () => ['8.8.8.8', '10.0.0.1'] })
  const custom = { ...key, baseUrl: 'https://llm.example.com/v1' }
  providers.of({ workspaceId: 'w1', provider: openai, key: custom })
  const [access] = made
  expect(access?.basePath).toBe('/v1')
  expect(await call(access as ProviderAccess)).toBe('connect ERR_ADDRESS_REFUSED')
  const literal = { ...key, id: 'key-2', baseUrl: 'https://10.0.0.1/v1' }
  expect(() => providers.of({ workspaceId: 'w1', provider: openai, key: literal })).toThrow(RangeError)
})

it('fails only the calls of a key that its adapter cannot read', async () => {
  const { providers } = fixture({
    createProvider: () => {
      throw new RangeError('neither a Bedrock API key nor an AWS access key')
    },
  })
  const provider = providers.of({ workspaceId: 'w1', provider: openai, key })
  const failure = await new Promise((resolve) => {
    const silent = { onReply() {}, onStreamStart() {}, onStreamData() {}, onStreamEnd() {}, onFailure: resolve }
    provider.start({} as ProviderRequest, silent)
  })
  expect(failure).toMatchObject({ kind: 'misconfigured', message: expect.not.stringContaining('sk-1') })
})

it('sends no key to the example address of a provider that needs one of its own', async () => {
  const { providers, made } = fixture()
  const needy = { ...openai, quirks: { needsBaseUrl: true } }
  const provider = providers.of({ workspaceId: 'w1', provider: needy, key })
  const failure = await new Promise((resolve) => {
    const silent = { onReply() {}, onStreamStart() {}, onStreamData() {}, onStreamEnd() {}, onFailure: resolve }
    provider.start({} as ProviderRequest, silent)
  })
  expect([failure, made]).toMatchObject([{ kind: 'misconfigured' }, []])
})

describe('with a provider that answers', () => {
  async function answering() {
    const server = createServer((_request, response) => response.end('{}')).listen(0, '127.0.0.1')
    await once(server, 'listening')
    undo.push(async () => void server.close().closeAllConnections())
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    return fixture({ platformBaseUrl: () => baseUrl })
  }

  it('keeps providers in use and closes those that were unused for ten minutes', async () => {
    const { providers, made, state } = await answering()
    providers.of({ workspaceId: 'idle', provider: openai, key })
    providers.of({ workspaceId: 'busy', provider: openai, key })
    state.nowMs = 9 * minuteMs
    providers.of({ workspaceId: 'busy', provider: openai, key })
    providers.closeUnused()
    expect(await Promise.all(made.map(call))).toEqual(['end', 'end'])
    state.nowMs = 10 * minuteMs + 1
    providers.closeUnused()
    expect(await Promise.all(made.map(call))).toEqual(['connect UND_ERR_CLOSED', 'end'])
    providers.of({ workspaceId: 'idle', provider: openai, key })
    expect(await call(made[2] as ProviderAccess)).toBe('end')
  })

  it('closes a replaced key after the requests that began with it', async () => {
    const { providers, made, state } = await answering()
    providers.of({ workspaceId: 'w', provider: openai, key })
    providers.of({ workspaceId: 'w', provider: openai, key: { ...key, id: 'key-2', apiKey: 'sk-2' } })
    state.nowMs = minuteMs
    providers.closeUnused()
    expect(await Promise.all(made.map(call))).toEqual(['end', 'end'])
    state.nowMs = minuteMs + 1
    providers.closeUnused()
    expect(await Promise.all(made.map(call))).toEqual(['connect UND_ERR_CLOSED', 'end'])
  })

  it('closes everything at the end', async () => {
    const { providers, made } = await answering()
    providers.of({ workspaceId: 'w', provider: openai, key })
    await providers.destroy()
    expect(await Promise.all(made.map(call))).toEqual(['connect UND_ERR_DESTROYED'])
  })
})
