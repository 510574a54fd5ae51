import { eventually } from '@ratchet/testing/eventually'
import type { Dispatcher } from 'undici'
import { testNow } from '../app.fixture.ts'
import { modelOf } from '../catalog/catalog.fixture.ts'
import type { CatalogProvider } from '../catalog/catalog.ts'
import { parseBody } from '../request/parse-body.ts'
import { wideLimits } from '../wire/answer-limits.fixture.ts'
import type { Dialect } from '../wire/dialect.ts'
import type { ProviderListener } from '../wire/provider.ts'
import { createProvider } from './create-provider.ts'

interface Sent {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

type Adapter = CatalogProvider['adapter']

/** A provider whose upstream records the requests that it would send. */
function providerOf(adapter: Adapter, { baseUrl = 'https://api.acme.test/deep/v1', apiKey = 'the-key' } = {}) {
  const sent: Sent[] = []
  const dispatch = ({ path, headers }: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) => {
    sent.push({ path, headers: headers as Record<string, string> })
    const abort = (error: Error) => handler.onResponseError?.(controller, error)
    const controller = { abort, pause() {}, resume() {} } as unknown as Dispatcher.DispatchController
    handler.onRequestStart?.(controller, null)
    return true
  }
  const upstream = { dispatch } as unknown as Dispatcher
  const clocks = { firstByteMs: 60_000, idleMs: 60_000, totalMs: 60_000 }
  return { sent, provider: createProvider(adapter, { baseUrl, apiKey, upstream }, { clocks, now: testNow }) }
}

/** The request that would be sent for a chat. */
async function askOf(adapter: Adapter, access: { baseUrl?: string; apiKey?: string } = {}): Promise<Sent> {
  const { sent, provider } = providerOf(adapter, access)
  const read = parseBody(Buffer.from('{"model":"m","messages":[{"role":"user","content":"Hi"}]}'))
  const listener: ProviderListener = {
    onReply() {},
    onStreamStart() {},
    onStreamData() {},
    onStreamEnd() {},
    onFailure() {},
  }
  const request = {
    requestId: 'r1',
    dialect: 'chat' as const,
    model: modelOf(),
    stream: false,
    limits: wideLimits,
    ...read,
  }
  const call = provider.start(request, listener)
  const first = await eventually(() => sent[0] ?? null)
  call.abort()
  return first
}

describe('createProvider', () => {
  it.each<[Adapter, readonly Dialect[]]>([
    [
      'openai',
      [
        ...(['chat', 'embeddings', 'images', 'messages', 'moderations', 'rerank', 'responses'] as const),
        ...(['speech', 'transcriptions'] as const),
      ],
    ],
    ['anthropic', ['chat', 'messages', 'responses']],
    ['google', ['chat', 'embeddings', 'messages', 'responses']],
    ['bedrock', ['chat', 'messages', 'responses']],
  ])('answers in the dialects of %s and in those that chat can be translated to', (adapter, dialects) => {
    expect([...providerOf(adapter).provider.dialects].sort()).toEqual(dialects)
  })

  it.each<[Adapter, string, string]>([
    ['openai', 'authorization', 'Bearer the-key'],
    ['anthropic', 'x-api-key', 'the-key'],
    ['google', 'x-goog-api-key', 'the-key'],
    ['bedrock', 'authorization', 'Bearer the-key'],
  ])(
    'calls %s below the path of its base URL, with the key where it belongs and nowhere else',
    async (adapter, header, value) => {
      const { path, headers } = await askOf(adapter)
      expect(path.startsWith('/deep/v1/')).toBe(true)
      expect(path).not.toContain('the-key')
      expect(Object.entries(headers).filter(([, each]) => String(each).includes('the-key'))).toEqual([[header, value]])
    },
  )

  it('signs calls of Bedrock for the region of the key, else of the address, else for the default region', async () => {
    const key = { access_key_id: 'AKIA1', secret_access_key: 'secret' }
    const regionIn = async (apiKey: object, baseUrl: string) => {
      const { headers } = await askOf('bedrock', { apiKey: JSON.stringify(apiKey), baseUrl })
      return /Credential=AKIA1\/\d{8}\/([a-z0-9-]+)\/bedrock\//.exec(headers.authorization ?? '')?.[1]
    }
    const amazon = 'https://bedrock-runtime.eu-west-1.amazonaws.com'
    expect(await regionIn({ ...key, region: 'ap-south-1' }, amazon)).toBe('ap-south-1')
    expect(await regionIn(key, amazon)).toBe('eu-west-1')
    expect(await regionIn(key, 'https://proxy.acme.test')).toBe('us-east-1')
  })

  it.each(['', 'with a space', '{"access_key_id":"AKIA1"}', '{'])('refuses an invalid key of Bedrock: %j', (apiKey) => {
    expect(() => providerOf('bedrock', { apiKey })).toThrow(RangeError)
  })
})
