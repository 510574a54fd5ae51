import { eventually } from '@ratchet/testing/eventually'
import { type ProviderClient, providerClient, readEvents, readJson } from './provider-client.ts'
import { type SimulatedProvider, startSimulatedProvider } from './start-simulated-provider.ts'

let provider: SimulatedProvider
let client: ProviderClient

beforeAll(async () => {
  provider = await startSimulatedProvider()
  client = providerClient(provider.baseUrl)
})
beforeEach(() => provider.reset())
afterAll(() => provider.stop())

const path = '/v1/chat/completions'
const messages = [{ role: 'user', content: 'How do glaciers carve valleys?' }]
const lastRow = async () => (await provider.report()).requests.at(-1)!

/** Reads a body until it breaks off. Returns the bytes so far and whether it ended properly. */
async function readUntilBroken(response: Response): Promise<{ bytes: number; whole: boolean }> {
  let bytes = 0
  try {
    for await (const chunk of response.body!) bytes += chunk.length
    return { bytes, whole: true }
  } catch {
    return { bytes, whole: false }
  }
}

describe('misbehaviour', () => {
  it.each([400, 401, 403, 404, 408, 418, 422, 429, 500, 502, 503, 504])(
    'sim/fail-%d answers that status in the envelope',
    async (status) => {
      const response = await client.post(path, { model: `sim/fail-${status}`, messages })
      expect(response.status).toBe(status)
      expect(response.headers.get('retry-after')).toBe(status === 429 ? '1' : null)
      const { error } = await readJson(response)
      expect(Object.keys(error)).toEqual(['message', 'type', 'param', 'code'])
      expect(error).toMatchObject({ message: expect.stringMatching(/.{10}/), type: expect.any(String), param: null })
    },
  )

  it('sim/fail-503-2 answers the third attempt of the same request, and counts others separately', async () => {
    const statuses = async (content: string, times: number) => {
      const body = { model: 'sim/fail-503-2', messages: [{ role: 'user', content }] }
      const seen: number[] = []
      for (let attempt = 0; attempt < times; attempt += 1) seen.push((await client.post(path, body)).status)
      return seen
    }
    expect(await statuses('one', 4)).toEqual([503, 503, 200, 200])
    expect(await statuses('other', 3)).toEqual([503, 503, 200])
  })

  it('sim/slow-<ms> sends nothing before that time', async () => {
    const begun = performance.now()
    const response = await client.post(path, { model: 'sim/slow-80', messages, stream: true })
    expect(performance.now() - begun).toBeGreaterThanOrEqual(78)
    expect(readEvents(await response.text()).at(-1)).toBe('[DONE]')
  })

  it.each([
    [{ stream: false }, 0],
    [{ stream: false }, 100],
    [{ stream: true }, 0],
    [{ stream: true }, 700],
  ])('%j sim/cut-%d hangs up after exactly that many bytes', async (more, bytes) => {
    const response = await client.post(path, { model: `sim/cut-${bytes}`, messages, ...more })
    expect(response.status).toBe(200)
    expect(await readUntilBroken(response)).toEqual({ bytes, whole: false })
    expect(await lastRow()).toMatchObject({ bytes_emitted: bytes, completed: false, peer_left_at_ms: null })
  })

  it('sim/cut-<bytes> sends a shorter answer completely', async () => {
    const response = await client.post(path, { model: 'sim/cut-1000000', messages })
    expect(await readUntilBroken(response)).toMatchObject({ whole: true })
  })

  it('sim/stall-<bytes> stops sending and leaves the connection open', async () => {
    const leave = new AbortController()
    const response = await fetch(provider.baseUrl + path, {
      method: 'POST',
      headers: { authorization: 'Bearer x' },
      body: JSON.stringify({ model: 'sim/stall-400', messages, stream: true }),
      signal: leave.signal,
    })
    const reader = response.body!.getReader()
    let bytes = 0
    while (bytes < 400) bytes += (await reader.read()).value?.length ?? 0
    expect(await lastRow()).toMatchObject({ bytes_emitted: 400, completed: false, peer_left_at_ms: null })
    leave.abort()
    await eventually(async () => expect(await lastRow()).toMatchObject({ peer_left_at_ms: expect.any(Number) }))
  })

  it('sim/hangup closes without a byte', async () => {
    await expect(client.post(path, { model: 'sim/hangup', messages })).rejects.toThrow('fetch failed')
  })

  it('sim/malformed answers 200 with broken JSON, in one event of a stream', async () => {
    const plain = await client.post(path, { model: 'sim/malformed', messages })
    expect(plain.status).toBe(200)
    await expect(readJson(plain)).rejects.toThrow(SyntaxError)
    const text = await (await client.post(path, { model: 'sim/malformed', messages, stream: true })).text()
    const broken = text.split('\n\n').filter((event) => event !== '' && !/^data: (\[DONE\]|.*\})$/.test(event))
    expect(broken).toHaveLength(1)
    expect(text).toMatch(/\[DONE\]\n\n$/)
  })

  it('sim/errorframe ends a stream with an error event and no [DONE]', async () => {
    const events = await client.events(path, { model: 'sim/errorframe', messages })
    expect(events).toHaveLength(5)
    expect(events.at(-1)).toEqual({
      error: { message: expect.any(String), type: 'server_error', param: null, code: null },
    })
  })

  it('sim/no-usage and sim/zero-usage do not report the count, which the control report has', async () => {
    const none = await client.json(path, { model: 'sim/no-usage', messages })
    expect(none).not.toHaveProperty('usage')
    const zero = await client.json(path, { model: 'sim/zero-usage', messages })
    expect(zero.usage).toMatchObject({ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 })
    const asked = { stream_options: { include_usage: true } }
    const events = await client.events(path, { model: 'sim/no-usage', messages, ...asked })
    expect(events.some((event) => event !== '[DONE]' && 'usage' in event)).toBe(false)
    const { requests } = await provider.report()
    for (const row of requests) expect(row.usage?.completion_tokens).toBe(row.tokens_emitted)
  })

  it('sim/cached-<n> and sim/reasoning-<n> report those tokens', async () => {
    const cached = await client.json(path, { model: 'sim/cached-5', messages })
    expect(cached.usage.prompt_tokens_details.cached_tokens).toBe(5)
    const plain = await client.json(path, { model: 'sim/reasoning-0', messages, max_tokens: 2 })
    const thought = await client.json(path, { model: 'sim/reasoning-40', messages, max_tokens: 2 })
    expect(thought.usage.completion_tokens_details.reasoning_tokens).toBe(40)
    expect(thought.usage.completion_tokens).toBe(plain.usage.completion_tokens + 40)
  })

  it.each([
    ['/v1/embeddings', { model: 'sim/fail-500', input: 'x' }],
    ['/v1/rerank', { model: 'sim/fail-500', query: 'x', documents: ['x'] }],
    ['/v1/responses', { model: 'sim/fail-500', input: 'x' }],
  ])('works on %s too', async (surface, body) => {
    expect((await client.post(surface, body)).status).toBe(500)
  })

  it('can be ordered for the next requests of any model', async () => {
    const order = (script: object) => client.post('/control/script', script)
    await order({ model: 'sim/echo', behaviour: 'fail-503', count: 2 })
    const seen: number[] = []
    for (let attempt = 0; attempt < 3; attempt += 1)
      seen.push((await client.post(path, { model: 'sim/echo', messages })).status)
    expect(seen).toEqual([503, 503, 200])
    expect((await order({ model: 'sim/echo', behaviour: 'explode' })).status).toBe(400)
    await order({ model: 'sim/embed', behaviour: 'cut-10' })
    const cut = await client.post('/v1/embeddings', { model: 'sim/embed', input: 'x' })
    expect(await readUntilBroken(cut)).toEqual({ bytes: 10, whole: false })
  })
})
