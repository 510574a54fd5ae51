import { eventually } from '@ratchet/testing/eventually'
import { type ProviderClient, providerClient, readJson } from './provider-client.ts'
import { controlProvider } from './provider-control.ts'
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
const messages = [{ role: 'user', content: 'hello there' }]
const report = async (query = '') => readJson(await fetch(`${provider.baseUrl}/control/report${query}`))

describe('GET /control/report', () => {
  it('returns the received requests and the sent answers', async () => {
    const body = { model: 'sim/echo', messages, temperature: 0.5, wild_parameter: { a: 1 } }
    const response = await client.post(path, body, { 'Idempotency-Key': 'key-1', 'X-Request-Id': 'req-1' })
    const bytes = (await response.text()).length
    const { requests, totals } = await report()
    expect(totals).toEqual({ requests: 1, completed: 1, peer_left: 0, tokens_emitted: 3 })
    expect(requests).toEqual([
      {
        id: response.headers.get('x-request-id'),
        model: 'sim/echo',
        path,
        stream: false,
        idempotency_key: 'key-1',
        x_request_id: 'req-1',
        headers: expect.objectContaining({ authorization: 'Bearer sk-test', 'content-type': 'application/json' }),
        parameters: { temperature: 0.5, wild_parameter: { a: 1 } },
        started_at_ms: expect.any(Number),
        completed: true,
        peer_left_at_ms: null,
        tokens_emitted: 3,
        bytes_emitted: bytes,
        usage: expect.objectContaining({ prompt_tokens: 9, completion_tokens: 3 }),
        status: 200,
      },
    ])
    expect(Math.abs(requests[0].started_at_ms - performance.timeOrigin - performance.now())).toBeLessThan(5_000)
  })

  it('states when the client left a stream and how much it had been sent by then', async () => {
    const leave = new AbortController()
    const response = await fetch(provider.baseUrl + path, {
      method: 'POST',
      headers: { authorization: 'Bearer x' },
      body: JSON.stringify({ model: 'sim/pace-5', messages, stream: true, max_tokens: 10_000 }),
      signal: leave.signal,
    })
    const reader = response.body!.getReader()
    let received = ''
    while ((received.match(/"content":"[^"]/g) ?? []).length < 3)
      received += Buffer.from((await reader.read()).value!).toString()
    leave.abort()
    const row = await eventually(async () => {
      const [only] = (await report()).requests
      return only.peer_left_at_ms === null ? null : only
    })
    expect(row).toMatchObject({ stream: true, completed: false, status: 200 })
    expect(row.tokens_emitted).toBeGreaterThanOrEqual(3)
    expect(row.tokens_emitted).toBeLessThan(200)
    expect(row.peer_left_at_ms).toBeGreaterThan(row.started_at_ms)
    expect((await report()).totals).toEqual({
      requests: 1,
      completed: 0,
      peer_left: 1,
      tokens_emitted: row.tokens_emitted,
    })
  })

  it('states that a client left before the first byte', async () => {
    const signal = AbortSignal.timeout(30)
    const body = JSON.stringify({ model: 'sim/slow-60000', messages })
    const sent = fetch(provider.baseUrl + path, {
      method: 'POST',
      headers: { authorization: 'Bearer x' },
      body,
      signal,
    })
    await expect(sent).rejects.toThrow()
    await eventually(async () => expect((await report()).totals.peer_left).toBe(1))
    expect((await report()).requests[0]).toMatchObject({ tokens_emitted: 0, bytes_emitted: 0, status: null })
  })

  it('counts refused requests, but not requests for the models', async () => {
    await client.post(path, { model: 'sim/none', messages })
    await fetch(`${provider.baseUrl}/v1/models`)
    expect(await report()).toMatchObject({ requests: [{ model: 'sim/none', status: 404 }], totals: { requests: 1 } })
  })

  it('filters by model and by the number of the last row', async () => {
    for (const model of ['sim/echo', 'sim/quality-1', 'sim/echo']) await client.json(path, { model, messages })
    const { requests } = await report('?model=sim/echo')
    expect(requests.map((row: { model: string }) => row.model)).toEqual(['sim/echo', 'sim/echo'])
    const since = requests[0].id.slice('req_sim_'.length)
    expect((await report(`?since=${since}`)).requests).toHaveLength(2)
  })

  it('is empty after POST /control/reset', async () => {
    await client.json(path, { model: 'sim/echo', messages })
    await client.post('/control/reset', {})
    expect(await report()).toEqual({
      requests: [],
      totals: { requests: 0, completed: 0, peer_left: 0, tokens_emitted: 0 },
    })
  })

  it('stores only totals when recording is off', async () => {
    const quiet = await startSimulatedProvider({ record: false })
    await providerClient(quiet.baseUrl).json(path, { model: 'sim/echo', messages })
    expect(await quiet.report()).toEqual({
      requests: [],
      totals: { requests: 1, completed: 1, peer_left: 0, tokens_emitted: 3 },
    })
    await quiet.stop()
  })

  it('lets a running stream end when stopped with grace, and drops a stalled one', async () => {
    const mortal = await startSimulatedProvider()
    const own = providerClient(mortal.baseUrl)
    const running = await own.post(path, { model: 'sim/pace-2', messages, stream: true, max_tokens: 20 })
    const stalled = await own.post(path, { model: 'sim/stall-0', messages, stream: true })
    const stopped = mortal.stop(300)
    expect(await running.text()).toMatch(/\[DONE\]\n\n$/)
    await expect(stalled.text()).rejects.toThrow()
    await stopped
  })
})

describe('control from another process', () => {
  it('reads, scripts and resets like the provider itself', async () => {
    const control = controlProvider(provider.baseUrl)
    await control.script({ model: 'sim/echo', behaviour: 'fail-503' })
    const statuses: number[] = []
    for (let n = 0; n < 2; n++) statuses.push((await client.post(path, { model: 'sim/echo', messages })).status)
    expect(statuses).toEqual([503, 200])
    expect(await control.report({ model: 'sim/echo' })).toEqual(await provider.report({ model: 'sim/echo' }))
    await control.reset()
    expect((await control.report()).totals.requests).toBe(0)
  })

  it('refuses an unknown behaviour', async () => {
    const order = controlProvider(provider.baseUrl).script({ model: 'sim/echo', behaviour: 'explode' })
    await expect(order).rejects.toThrow('explode')
  })
})
