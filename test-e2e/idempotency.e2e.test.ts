import { eventually } from '@ratchet/testing/eventually'
import { ConflictError } from 'openai'
import pg from 'pg'
import { type ChatCall, openaiFor, postChat } from './clients.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { readLedger } from './ledger-oracle.ts'
import { workspaceWith } from './workspace-with.ts'

let fleet: Fleet

beforeAll(async () => {
  fleet = await startFleet({ edges: 2, inferences: 2 })
}, 300_000)
afterAll(() => fleet?.stop(), 180_000)

let keys = 0

/** Creates an unused key. */
function newKey(): string {
  keys += 1
  return `key-${keys}`
}

interface Asked extends Partial<ChatCall> {
  /** Index of the edge, which decides the inference process. */
  readonly edge?: number
}

async function ask(key: string, { model = 'sim/echo', edge = 0, ...call }: Asked = {}) {
  const url = fleet.edges[edge]?.url ?? ''
  const headers = { 'idempotency-key': key, ...call.headers }
  const response = await postChat(fleet, { model, url, ...call, headers })
  const text = await response.text()
  return {
    status: response.status,
    text,
    error: response.ok ? null : JSON.parse(text).error,
    replayed: response.headers.get('idempotent-replay'),
    served: response.headers.get('x-svc-served-model'),
    cost: response.headers.get('x-svc-cost-usd'),
    retryAfter: response.headers.get('retry-after'),
  }
}

function headersWith(key: string): Record<string, string> {
  const { apiKey } = fleet.workspace
  return { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'idempotency-key': key }
}

function ledgerState() {
  return readLedger(fleet.databaseUrl, fleet.workspace.workspaceId)
}

async function providerCalls(): Promise<number> {
  return (await fleet.provider.report()).totals.requests
}

describe('a repeated request with its Idempotency-Key', () => {
  it('receives the same answer again, which was generated and charged once', async () => {
    const key = newKey()
    const first = await ask(key)
    const [before, calls] = [await ledgerState(), await providerCalls()]
    const second = await ask(key, { edge: 1 })
    expect(first).toMatchObject({ status: 200, replayed: null })
    expect(second).toEqual({ ...first, replayed: 'true' })
    expect([await ledgerState(), await providerCalls()]).toEqual([before, calls])
  })

  it('receives a stream again as a stream, with the same usage and cost', async () => {
    const key = newKey()
    const call = { model: 'sim/large', stream: true, body: { stream_options: { include_usage: true } } }
    const first = await ask(key, call)
    const [before, calls] = [await ledgerState(), await providerCalls()]
    const second = await ask(key, call)
    expect([first.replayed, second.replayed]).toEqual([null, 'true'])
    expect(reported(second.text)).toEqual(reported(first.text))
    expect(reported(second.text).usage).toMatchObject({ cost_usd: expect.any(Number) })
    expect(second.text.endsWith('data: [DONE]\n\n')).toBe(true)
    expect([await ledgerState(), await providerCalls()]).toEqual([before, calls])
  })

  it.each([
    ['/v1/messages', { model: 'sim-anthropic/small', max_tokens: 20, messages: [{ role: 'user', content: 'Hi' }] }],
    ['/v1/responses', { model: 'sim/small', input: 'Hi', store: false }],
    ['/v1/embeddings', { model: 'sim/embed', input: 'Hi' }],
    ['/v1/rerank', { model: 'sim/rerank', query: 'sky', documents: ['sky', 'sea'] }],
    ['/v1/moderations', { model: 'sim/moderate', input: 'sky' }],
    ['/v1/images/generations', { model: 'sim/image', prompt: 'sky' }],
  ])('receives it from %s as well', async (path, body) => {
    const headers = headersWith(newKey())
    const call = () => fetch(`${fleet.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    const first = await call()
    const text = await first.text()
    const before = await ledgerState()
    const second = await call()
    expect([first.status, second.status, second.headers.get('idempotent-replay')]).toEqual([200, 200, 'true'])
    expect(await second.json()).toEqual(JSON.parse(text))
    expect(await ledgerState()).toEqual(before)
  })

  it('may format its body differently', async () => {
    const key = newKey()
    const send = async (body: string) => {
      const url = `${fleet.url}/v1/chat/completions`
      const response = await fetch(url, { method: 'POST', headers: headersWith(key), body })
      return [response.status, response.headers.get('idempotent-replay'), await response.text()]
    }
    const [, , text] = await send('{"model":"sim/echo","messages":[{"role":"user","content":"Hi"}]}')
    const again = await send('{ "messages": [ {"content":"Hi","role":"user"} ], "model": "sim/echo" }')
    expect(again).toEqual([200, 'true', text])
  })

  it('receives the answer of a fallback, with its name', async () => {
    const key = newKey()
    const call = { model: 'sim/fail-500', body: { models: ['sim/echo'] } }
    expect(await ask(key, call)).toMatchObject({ status: 200, served: 'sim/echo', replayed: null })
    expect(await ask(key, call)).toMatchObject({ status: 200, served: 'sim/echo', replayed: 'true' })
  })

  it('is a different request in another workspace', async () => {
    const { apiKey } = await workspaceWith(fleet)
    const key = newKey()
    expect(await ask(key)).toMatchObject({ status: 200, replayed: null })
    expect(await ask(key, { apiKey })).toMatchObject({ status: 200, replayed: null })
    expect(await ask(key, { apiKey, content: 'Something else' })).toMatchObject({ status: 409 })
  })
})

describe('a key', () => {
  it('of another request is refused', async () => {
    const key = newKey()
    await ask(key)
    for (const call of [{ content: 'Another question' }, { model: 'sim/small' }, { stream: true }]) {
      expect(await ask(key, call)).toMatchObject({
        status: 409,
        error: { code: 'idempotency_conflict', type: 'invalid_request_error', param: 'Idempotency-Key' },
      })
    }
    expect(await ask(key)).toMatchObject({ status: 200, replayed: 'true' })
  })

  it('of a running request is refused: of twenty concurrent ones, one is answered', async () => {
    const key = newKey()
    const [before, calls] = [await ledgerState(), await providerCalls()]
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => ask(key, { model: 'sim/slow-600', edge: i % 2 })),
    )
    const refused = answers.filter(({ status }) => status === 409)
    expect(answers.filter(({ status, replayed }) => status === 200 && replayed === null)).toHaveLength(1)
    expect(refused).toHaveLength(19)
    for (const { error, retryAfter } of refused) {
      expect([error.code, error.type, retryAfter]).toEqual(['conflict', 'invalid_request_error', '1'])
    }
    expect(await ask(key, { model: 'sim/slow-600' })).toMatchObject({ status: 200, replayed: 'true' })
    expect(await providerCalls()).toBe(calls + 1)
    expect((await ledgerState()).posted).toBe(before.posted + 1)
  })

  it('of a failed request can be used again, without a charge for the failure', async () => {
    const key = newKey()
    const before = await ledgerState()
    await fleet.provider.script({ model: 'sim/echo', behaviour: 'fail-400' })
    expect(await ask(key)).toMatchObject({ status: 400 })
    await fleet.provider.script({ model: 'sim/echo', behaviour: 'fail-503', count: 3 })
    expect(await freshly(key)).toMatchObject({ status: 502, replayed: null })
    expect(await freshly(key)).toMatchObject({ status: 200, replayed: null })
    expect((await ledgerState()).posted).toBe(before.posted + 1)
  })

  it('of a refused request can be used again', async () => {
    const key = newKey()
    const poor = await workspaceWith(fleet)
    const costly = { apiKey: poor.apiKey, model: 'sim/large', body: { n: 128, max_tokens: 16_000 } }
    expect(await ask(key, costly)).toMatchObject({ status: 402 })
    expect(await freshly(key, { apiKey: poor.apiKey })).toMatchObject({ status: 200, replayed: null })
  })

  it.each([
    ['has a space', 'a key'],
    ['is too long', 'k'.repeat(256)],
    ['is empty', ''],
  ])('that %s is refused before a provider is called', async (_name, key) => {
    const calls = await providerCalls()
    expect(await ask(key)).toMatchObject({
      status: 400,
      error: { code: 'invalid_request', param: 'Idempotency-Key' },
    })
    expect(await providerCalls()).toBe(calls)
  })

  it('may be as long as 255 characters', async () => {
    expect(await ask('~'.repeat(255))).toMatchObject({ status: 200 })
  })
})

describe('a client that disconnects', () => {
  it.each([true, false])('receives the finished answer when it retries, stream %s, charged once', async (stream) => {
    const key = newKey()
    const before = await ledgerState()
    const leaving = new AbortController()
    const call = { model: 'sim/pace-20', stream, body: { max_tokens: 60 } }
    const calls = async () => (await fleet.provider.report({ model: 'sim/pace-20' })).requests.length
    const calledBefore = await calls()
    const asked = postChat(fleet, { ...call, headers: { 'idempotency-key': key }, signal: leaving.signal })
    if (stream) await (await asked).body?.getReader().read()
    else await eventually(async () => expect(await calls()).toBe(calledBefore + 1))
    leaving.abort()
    await asked.catch(() => undefined)
    const again = await freshly(key, call)
    expect(again).toMatchObject({ status: 200, replayed: 'true' })
    if (stream) expect(again.text.endsWith('data: [DONE]\n\n')).toBe(true)
    expect(await calls()).toBe(calledBefore + 1)
    expect(await ledgerState()).toMatchObject({ posted: before.posted + 1, held: 0n, violations: [] })
  })
})

it('receives a conflict that OpenAI`s SDK retries', async () => {
  const key = newKey()
  const body = { model: 'sim/slow-400', messages: [{ role: 'user' as const, content: 'Hi' }] }
  const call = () => openaiFor(fleet).chat.completions.create(body, { headers: { 'idempotency-key': key } })
  const [first, second] = await Promise.allSettled([call(), call()])
  const errors = [first, second].flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
  expect(errors).toEqual([expect.any(ConflictError)])
})

it('can retry after its process died and the lease ended, and is charged once', async () => {
  const key = newKey()
  const before = await ledgerState()
  const call = { model: 'sim/pace-20', stream: true, body: { max_tokens: 50 } }
  const other = { ...call, edge: 1 }
  const stream = await postChat(fleet, { ...call, headers: { 'idempotency-key': key } })
  await stream.body?.getReader().read()
  fleet.inference.signal('SIGKILL')
  await fleet.inference.exited
  expect(await ask(key, other)).toMatchObject({ status: 409, error: { code: 'conflict' }, retryAfter: '1' })
  await endLeases()
  expect(await ask(key, { ...other, content: 'Something else' })).toMatchObject({
    status: 409,
    error: { code: 'idempotency_conflict' },
  })
  const again = await ask(key, other)
  expect(again).toMatchObject({ status: 200, replayed: null })
  expect(again.text.endsWith('data: [DONE]\n\n')).toBe(true)
  await fleet.restartInference()
  expect(await ask(key, call)).toMatchObject({ status: 200, replayed: 'true' })
  expect(await ledgerState()).toMatchObject({ posted: before.posted + 1, violations: [] })
}, 180_000)

/** Like `ask`, after the record of a failed call is deleted. */
function freshly(key: string, call: Asked = {}) {
  return eventually(async () => {
    const answer = await ask(key, call)
    return answer.error?.code === 'conflict' ? null : answer
  })
}

/** Ends leases, which would otherwise take thirty seconds. */
async function endLeases(): Promise<void> {
  const client = new pg.Client({ connectionString: fleet.databaseUrl })
  await client.connect()
  await client.query("UPDATE idempotency_record SET lease_until = now() - interval '1 ms' WHERE state = 'running'")
  await client.end()
}

interface Frame {
  readonly choices: readonly { readonly delta: { readonly content?: string }; readonly finish_reason: string | null }[]
  readonly usage?: object | null
}

/** Assembles the answer of a chat stream. */
function reported(stream: string) {
  const frames = stream
    .split('\n\n')
    .filter((frame) => frame.startsWith('data: {'))
    .map((frame) => JSON.parse(frame.slice(6)) as Frame)
  return {
    content: frames.map(({ choices }) => choices[0]?.delta.content ?? '').join(''),
    finish: frames.flatMap(({ choices }) => choices[0]?.finish_reason ?? []),
    usage: frames.find(({ usage }) => usage !== undefined && usage !== null)?.usage,
  }
}
