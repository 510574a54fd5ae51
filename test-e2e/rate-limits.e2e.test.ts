import { eventually } from '@ratchet/testing/eventually'
import { RateLimitError } from 'openai'
import { openaiFor, postChat } from './clients.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { readLedger } from './ledger-oracle.ts'
import { workspaceWith } from './workspace-with.ts'

let fleet: Fleet

beforeAll(async () => {
  fleet = await startFleet({ edges: 2, inferences: 2 })
}, 300_000)
afterAll(() => fleet?.stop(), 180_000)

const names = [
  'x-ratelimit-limit-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
  'x-ratelimit-limit-tokens',
  'x-ratelimit-remaining-tokens',
  'x-ratelimit-reset-tokens',
] as const

interface Asked {
  readonly apiKey: string
  /** Index of the edge, which decides the inference process. */
  readonly edge?: number
  readonly body?: Readonly<Record<string, unknown>>
  readonly headers?: Record<string, string>
}

/** Requests short answers, so that the wallet covers many concurrent ones. */
async function ask({ apiKey, edge = 0, body, ...call }: Asked) {
  const url = fleet.edges[edge]?.url ?? ''
  const response = await postChat(fleet, {
    model: 'sim/echo',
    apiKey,
    url,
    body: { max_tokens: 100, ...body },
    ...call,
  })
  const text = await response.text()
  const limits = Object.fromEntries(
    names.map((name) => [name.slice('x-ratelimit-'.length), response.headers.get(name)]),
  )
  const { error = null, usage = null } = text.startsWith('{') ? JSON.parse(text) : {}
  return { status: response.status, error, usage, limits, retryAfter: Number(response.headers.get('retry-after')) }
}

/** Statuses of `count` concurrent calls to both processes. */
async function burst(apiKey: string, count: number): Promise<Record<string, number>> {
  const answers = await Promise.all(Array.from({ length: count }, (_, i) => ask({ apiKey, edge: i % 2 })))
  return countBy(answers.map(({ status }) => status))
}

function countBy(values: readonly number[]): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(values, (value) => value)].map(([value, all]) => [value, all.length]))
}

describe('a workspace without limits', () => {
  it('receives no rate limit headers', async () => {
    const { apiKey } = await workspaceWith(fleet)
    const { status, limits } = await ask({ apiKey })
    expect(status).toBe(200)
    expect(new Set(Object.values(limits))).toEqual(new Set([null]))
  })
})

describe('a limit of requests per minute', () => {
  it('counts down in OpenAI`s headers, then answers 429 with the time to wait, without a charge', async () => {
    const { apiKey, workspaceId } = await workspaceWith(fleet, { requestsPerMinute: 3 })
    const seen = [await ask({ apiKey }), await ask({ apiKey }), await ask({ apiKey })]
    expect(seen.map(({ status, limits }) => [status, limits['remaining-requests']])).toEqual([
      [200, '2'],
      [200, '1'],
      [200, '0'],
    ])
    expect(seen[0]?.limits).toMatchObject({ 'limit-requests': '3', 'limit-tokens': null, 'reset-tokens': null })
    expect(seen[0]?.limits['reset-requests']).toMatch(/^(19\.\d+|20)s$/)
    const refused = await ask({ apiKey })
    expect(refused).toMatchObject({
      status: 429,
      error: { code: 'rate_limit_exceeded', type: 'rate_limit_error' },
      limits: { 'limit-requests': '3', 'remaining-requests': '0' },
    })
    expect(refused.error.message).toContain('requests')
    expect(refused.retryAfter).toBeGreaterThan(10)
    expect(refused.retryAfter).toBeLessThanOrEqual(20)
    expect(await readLedger(fleet.databaseUrl, workspaceId)).toMatchObject({ posted: 3, open: 0, violations: [] })
  })

  it('is exact over two processes', async () => {
    const { apiKey } = await workspaceWith(fleet, { requestsPerMinute: 6 })
    // Processes that run code for the first time answer late, and one that waits too long for Redis counts alone.
    await burst((await workspaceWith(fleet)).apiKey, 40)
    const startedAt = performance.now()
    const { 200: served = 0, 429: refused = 0 } = await burst(apiKey, 40)
    expect(served + refused).toBe(40)
    // One request is refilled every ten seconds, and a busy machine may need this long for the burst.
    const returned = Math.floor((performance.now() - startedAt) / 10_000)
    expect(served).toBeGreaterThanOrEqual(6)
    expect(served).toBeLessThanOrEqual(6 + returned)
  })

  it('is refilled with time: a client that waits as long as stated is served', async () => {
    const { apiKey } = await workspaceWith(fleet, { requestsPerMinute: 30 })
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => ask({ apiKey, edge: i % 2 })))
    const refused = answers.filter(({ status }) => status === 429)
    expect(answers.length - refused.length).toBeGreaterThanOrEqual(30)
    expect(refused.filter(({ retryAfter }) => retryAfter !== 1 && retryAfter !== 2)).toEqual([])
    await eventually(async () => (await ask({ apiKey })).status === 200, { everyMs: 100 })
  })

  it('is the SDK`s own RateLimitError', async () => {
    const { apiKey } = await workspaceWith(fleet, { requestsPerMinute: 1 })
    const client = openaiFor(fleet, { apiKey })
    const call = () =>
      client.chat.completions.create({ model: 'sim/echo', messages: [{ role: 'user', content: 'Hi' }] })
    const { response } = await call().withResponse()
    expect(response.headers.get('x-ratelimit-remaining-requests')).toBe('0')
    const error = await call().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(RateLimitError)
    expect(error).toMatchObject({ status: 429, code: 'rate_limit_exceeded', type: 'rate_limit_error' })
    expect((error as RateLimitError).headers?.get('x-ratelimit-limit-requests')).toBe('1')
  })

  it('applies to streams and other surfaces too', async () => {
    const { apiKey } = await workspaceWith(fleet, { requestsPerMinute: 2 })
    const stream = await ask({ apiKey, body: { stream: true } })
    expect([stream.status, stream.limits['remaining-requests']]).toEqual([200, '1'])
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ model: 'sim/embed', input: 'Hi' })
    const send = () => fetch(`${fleet.url}/v1/embeddings`, { method: 'POST', headers, body })
    const [first, second] = [await send(), await send()]
    expect([first.status, first.headers.get('x-ratelimit-remaining-requests'), second.status]).toEqual([200, '0', 429])
  })
})

describe('a limit of a key', () => {
  it('applies in addition to the workspace`s limit, and the headers show the tighter one', async () => {
    const workspace = await workspaceWith(fleet, { requestsPerMinute: 5, keyLimits: { requestsPerMinute: 2 } })
    const other = await workspace.addMember('member')
    const first = await ask({ apiKey: workspace.apiKey })
    expect(first.limits).toMatchObject({ 'limit-requests': '2', 'remaining-requests': '1' })
    expect((await ask({ apiKey: workspace.apiKey })).status).toBe(200)
    expect((await ask({ apiKey: workspace.apiKey })).status).toBe(429)
    const answers = [await ask(other), await ask(other), await ask(other), await ask(other)]
    expect(answers.map(({ status, limits }) => [status, limits['limit-requests']])).toEqual([
      [200, '5'],
      [200, '5'],
      [200, '5'],
      [429, '5'],
    ])
  })
})

describe('a limit of tokens per minute', () => {
  it('counts the tokens that were used, not the estimate', async () => {
    const { apiKey } = await workspaceWith(fleet, { tokensPerMinute: 60_000 })
    const first = await ask({ apiKey, body: { max_tokens: 4_000 } })
    const used = Number(first.usage.total_tokens)
    const second = await ask({ apiKey })
    const before = Number(first.limits['remaining-tokens'])
    expect(first.limits).toMatchObject({ 'limit-tokens': '60000', 'limit-requests': null })
    expect(first.limits['reset-tokens']).toMatch(/^(\d+ms|[\d.]+s)$/)
    expect(60_000 - before).toBeLessThan(200)
    // A thousand tokens are refilled each second, so used ones are missing for less than a second.
    expect(used).toBeGreaterThan(5)
    expect(Number(second.limits['remaining-tokens'])).toBeLessThan(60_000)
  })

  it('refuses a request above the limit, and names tokens', async () => {
    const { apiKey } = await workspaceWith(fleet, { tokensPerMinute: 100 })
    const content = 'word '.repeat(60)
    const body = { messages: [{ role: 'user', content }] }
    const first = await ask({ apiKey, body })
    expect(first.status).toBe(200)
    const second = await ask({ apiKey, body })
    expect(second).toMatchObject({ status: 429, error: { code: 'rate_limit_exceeded' } })
    expect(second.error.message).toContain('tokens')
    expect(second.retryAfter).toBeGreaterThan(1)
    expect(second.limits['limit-tokens']).toBe('100')
  })

  it('returns the estimate of a failed request', async () => {
    const { apiKey } = await workspaceWith(fleet, { tokensPerMinute: 200 })
    const content = 'word '.repeat(60)
    const body = { model: 'sim/fail-400', messages: [{ role: 'user', content }] }
    for (let i = 0; i < 8; i++) expect((await ask({ apiKey, body, edge: i % 2 })).status).toBe(400)
  })
})

describe('an answer from the cache', () => {
  it('counts as a request but uses no tokens', async () => {
    const { apiKey } = await workspaceWith(fleet, { requestsPerMinute: 100, tokensPerMinute: 1_500 })
    const content = 'word '.repeat(60)
    const call = { apiKey, body: { messages: [{ role: 'user', content }] }, headers: { 'x-svc-cache': 'on' } }
    const startedAt = performance.now()
    const answers = [await ask(call)]
    // The limit covers a few answers that the cache misses when Redis is slow, but not all of them.
    for (let i = 0; i < 30; i++) answers.push(await ask(call))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    const returned = ((performance.now() - startedAt) / 60_000) * 100
    const remaining = Number(answers.at(-1)?.limits['remaining-requests'])
    expect(remaining).toBeGreaterThanOrEqual(69)
    expect(remaining).toBeLessThanOrEqual(69 + returned)
  })
})

describe('while Redis is unavailable', () => {
  it('each process limits separately, and no request fails or waits', async () => {
    await fleet.redis.refuse()
    const { apiKey } = await workspaceWith(fleet, { requestsPerMinute: 5 })
    const startedAt = performance.now()
    expect(await burst(apiKey, 40)).toEqual({ 200: 10, 429: 30 })
    expect(performance.now() - startedAt).toBeLessThan(3_000)
    expect(await ask({ apiKey })).toMatchObject({ status: 429, limits: { 'limit-requests': '5' } })
    await fleet.redis.restore()
  })
})
