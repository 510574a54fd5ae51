import { connectPool } from '@ratchet/db/connect-pool'
import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { type ChatCall, postChat } from './clients.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { type LoggedRow, readLog } from './logged-exchanges.ts'
import { workspaceWith } from './workspace-with.ts'

let fleet: Fleet
let workspace: DemoWorkspace

beforeAll(async () => {
  fleet = await startFleet({ env: { CAPTURE_CLAIM_IDLE_MS: '1000' } })
  workspace = await workspaceWith(fleet, { loggingEnabled: true, retentionDays: 7 })
}, 300_000)
afterAll(() => fleet?.stop(), 180_000)

interface Asked extends Omit<ChatCall, 'model'> {
  readonly model?: string
  readonly tag?: string
}

/** Sends one chat request, which its tag identifies, and reads its complete answer. */
async function ask({ model = 'sim/echo', tag = '', headers = {}, ...call }: Asked) {
  const startedAt = performance.now()
  const response = await postChat(fleet, {
    model,
    apiKey: workspace.apiKey,
    headers: { ...headers, ...(tag === '' ? {} : { 'x-svc-tag': tag }) },
    ...call,
  })
  const text = await response.text().catch(() => null)
  const header = (name: string) => response.headers.get(name)
  return {
    status: response.status,
    text,
    requestId: header('x-request-id'),
    cache: header('x-svc-cache'),
    cost: header('x-svc-cost-usd'),
    ms: performance.now() - startedAt,
  }
}

/** Sends a request and waits until it is logged; earlier exchanges of the workspace are then logged too. */
async function logUpToNow(): Promise<readonly LoggedRow[]> {
  const tag = `last-${performance.now()}`
  await ask({ tag })
  const rows = await eventually(
    async () => {
      const seen = await readLog(fleet, workspace.workspaceId)
      return seen.some((row) => row.tag === tag) ? seen : null
    },
    { withinMs: 45_000, everyMs: 50 },
  )
  return rows.filter((row) => row.tag !== tag)
}

/** Waits until everything is logged, and returns the rows with this tag. */
async function logged(tag: string): Promise<readonly LoggedRow[]> {
  return (await logUpToNow()).filter((row) => row.tag === tag)
}

async function counted(name: string, labels: string): Promise<number> {
  const metrics = await (await fetch(`${fleet.inference.url}/metrics`)).text()
  const line = metrics.split('\n').find((each) => each.startsWith(`${name}{`) && each.includes(labels))
  return Number(line?.split(' ').at(-1) ?? 0)
}

const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } }]

describe('a logged exchange', () => {
  it('has the request and the answer of a chat completion, with all facts', async () => {
    const headers = { 'x-svc-trace-id': 'run-1' }
    const body = {
      messages: [
        { role: 'system', content: 'You explain physics.' },
        { role: 'user', content: 'Why is the sky blue?' },
      ],
      temperature: 0.2,
    }
    const answer = await ask({ tag: 'plain', headers, body })
    const [row] = await logged('plain')
    expect(row).toMatchObject({
      request_id: answer.requestId,
      requested_model: 'sim/echo',
      served_model: 'sim/echo',
      provider: 'sim',
      fallback_from: null,
      trace_id: 'run-1',
      finish_reason: 'stop',
      stream: false,
      cached: false,
      has_tool_calls: false,
      ttft_ms: null,
      redaction_count: 0,
      messages: body.messages,
      response: { role: 'assistant', content: 'Why is the sky blue?' },
      tools: null,
      params: { temperature: 0.2 },
    })
    const { usage } = JSON.parse(answer.text ?? '')
    expect(row).toMatchObject({ prompt_tokens: usage.prompt_tokens, completion_tokens: usage.completion_tokens })
    expect(Number(row?.cost_nano)).toBeCloseTo(Number(answer.cost) * 1e9, 0)
    expect((row?.expires_at.getTime() ?? 0) - (row?.created_at.getTime() ?? 0)).toBe(7 * 86_400_000)
    expect(row?.latency_ms).toBeLessThan(answer.ms + 1)
    expect(row?.segment).toMatch(/^seg_/)
  }, 180_000)

  it('has a stream in its unstreamed form, with the time to its first byte', async () => {
    await ask({ tag: 'stream', model: 'sim/pace-20', stream: true, body: { max_tokens: 10 } })
    const [row] = await logged('stream')
    expect(row).toMatchObject({
      stream: true,
      finish_reason: 'stop',
      completion_tokens: 10,
      params: { max_tokens: 10 },
    })
    expect(row?.response.content).toEqual(expect.any(String))
    expect(row?.ttft_ms).toBeLessThan((row?.latency_ms ?? 0) - 100)
  }, 180_000)

  it('has tool calls, streamed or not', async () => {
    for (const stream of [false, true]) await ask({ tag: 'tools', model: 'sim/tools', stream, body: { tools } })
    const rows = await logged('tools')
    expect(rows).toHaveLength(2)
    for (const row of rows) {
      expect(row).toMatchObject({ has_tool_calls: true, finish_reason: 'tool_calls', tools })
      expect(row.response.tool_calls).toMatchObject([{ type: 'function', function: { name: 'weather' } }])
    }
  }, 180_000)

  it('names the model that a fallback replaced', async () => {
    await ask({ tag: 'fallback', model: 'sim/fail-503', body: { models: ['sim-anthropic/echo'] } })
    expect(await logged('fallback')).toMatchObject([
      { requested_model: 'sim/fail-503', served_model: 'sim-anthropic/echo', fallback_from: 'sim/fail-503' },
    ])
  }, 180_000)

  it('may be an answer from the cache, without cost, but no idempotent replay', async () => {
    const headers = { 'x-svc-cache': 'on' }
    await ask({ tag: 'miss', headers, content: 'cached question' })
    expect((await ask({ tag: 'hit', headers, content: 'cached question' })).cache).toBe('hit')
    expect((await ask({ tag: 'hit', headers, content: 'cached question', stream: true })).cache).toBe('hit')
    const keyed = { 'idempotency-key': 'k-1' }
    await ask({ tag: 'keyed', headers: keyed, content: 'keyed question' })
    await ask({ tag: 'keyed', headers: keyed, content: 'keyed question' })
    const rows = await logUpToNow()
    const tagged = (tag: string) => rows.filter((row) => row.tag === tag)
    expect(tagged('miss')).toMatchObject([{ cached: false }])
    expect(tagged('hit')).toMatchObject([
      { cached: true, cost_nano: '0', stream: false },
      { cached: true, cost_nano: '0', stream: true },
    ])
    for (const row of tagged('hit')) expect(row.response).toEqual(tagged('miss')[0]?.response)
    expect(tagged('keyed')).toHaveLength(1)
  }, 180_000)

  it('contains no credentials', async () => {
    const secret = `sk-proj-${'aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5bC7dE9fG1h'}`
    await ask({ tag: 'secret', content: `my key is ${secret}` })
    const [row] = await logged('secret')
    expect(JSON.stringify([row?.messages, row?.response])).not.toContain(secret)
    expect(JSON.stringify(row?.messages)).toContain('[redacted]')
    expect(row).toMatchObject({ redaction_count: 2 })
  }, 180_000)
})

describe('never logged is', () => {
  it.each<[string, Asked]>([
    ['an error of the gateway', { body: { messages: [] } }],
    ['an unknown model', { model: 'sim/nowhere' }],
    ['an error of the provider', { model: 'sim/fail-500' }],
    ['a stream that breaks off', { model: 'sim/cut-2000', stream: true }],
    ['a stream with an error frame', { model: 'sim/errorframe', stream: true }],
    ['a request that turns logging off', { headers: { 'x-svc-log': 'off' } }],
    ['a request that turns logging off in capitals', { headers: { 'x-svc-log': 'OFF' } }],
    ['a request whose switch is unclear', { headers: { 'x-svc-log': 'false' } }],
  ])(
    '%s',
    async (_name, asked) => {
      const tag = 'never'
      await ask({ ...asked, tag })
      expect(await logged(tag)).toEqual([])
    },
    30_000,
  )

  it('a stream whose client disconnects', async () => {
    const leaving = new AbortController()
    const response = await postChat(fleet, {
      model: 'sim/pace-20',
      stream: true,
      apiKey: workspace.apiKey,
      headers: { 'x-svc-tag': 'left' },
      signal: leaving.signal,
    })
    await response.body?.getReader().read()
    leaving.abort()
    expect(await logged('left')).toEqual([])
  }, 180_000)

  it.each([
    ['/v1/embeddings', { model: 'sim/embed', input: 'text' }, 'off; endpoint'],
    ['/v1/rerank', { model: 'sim/rerank', query: 'q', documents: ['a', 'b'] }, 'off; endpoint'],
    ['/v1/moderations', { model: 'sim/moderate', input: 'text' }, 'off; endpoint'],
    ['/v1/images/generations', { model: 'sim/image', prompt: 'a cat' }, 'off; endpoint'],
    ['/v1/audio/speech', { model: 'sim/speech', input: 'text', voice: 'alloy' }, 'off; endpoint'],
    ['/v1/responses', { model: 'sim/echo', input: 'hello' }, 'off; responses_disabled'],
  ])(
    'a request to %s',
    async (path, body, state) => {
      const response = await fetch(`${fleet.url}${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${workspace.apiKey}`,
          'content-type': 'application/json',
          'x-svc-tag': 'elsewhere',
        },
        body: JSON.stringify(body),
      })
      expect([response.status, response.headers.get('x-svc-logged')]).toEqual([200, state])
      expect(await logged('elsewhere')).toEqual([])
    },
    30_000,
  )

  it('an exchange above 512 KB, which is counted; one just below is logged completely', async () => {
    const before = await counted('ratchet_captured_exchanges_total', 'outcome="too_large"')
    const [small, large] = ['a'.repeat(250 * 1024), 'b'.repeat(260 * 1024)]
    await ask({ tag: 'small', content: small })
    await ask({ tag: 'large', content: large })
    const rows = await logUpToNow()
    expect(rows.filter(({ tag }) => tag === 'large')).toEqual([])
    expect(rows.find(({ tag }) => tag === 'small')?.response.content).toBe(small)
    expect((await counted('ratchet_captured_exchanges_total', 'outcome="too_large"')) - before).toBe(1)
  }, 180_000)

  it('any exchange of a workspace without logging', async () => {
    await ask({ apiKey: fleet.workspace.apiKey, tag: 'unasked' })
    await logUpToNow()
    expect(await readLog(fleet, fleet.workspace.workspaceId)).toEqual([])
  }, 180_000)
})

let unlockLog = async () => {}

async function lockLog(): Promise<void> {
  const pool = connectPool({ databaseUrl: fleet.databaseUrl, max: 1 })
  const client = await pool.connect()
  await client.query('BEGIN; LOCK TABLE exchange IN ACCESS EXCLUSIVE MODE')
  unlockLog = async () => {
    await client.query('ROLLBACK')
    client.release()
    await pool.end()
  }
}

/** Several clients send requests one after the other while `during` runs. */
async function askDuring(prefix: string, during: () => Promise<unknown>) {
  const answers: { status: number; ms: number; tag: string }[] = []
  let over = false
  const side = async (name: string) => {
    for (let i = 0; !over; i++) {
      const tag = `${prefix}-${name}-${i}`
      const { status, ms } = await ask({ tag })
      answers.push({ status, ms, tag })
    }
  }
  const load = Promise.all(['a', 'b', 'c', 'd'].map(side))
  await during()
  over = true
  await load
  return answers
}

/** Waits for a number of answers, enough to measure latencies. */
async function someAnswers(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await ask({})
}

function percentile(answers: readonly { ms: number }[], share: number): number {
  const sorted = answers.map(({ ms }) => ms).toSorted((a, b) => a - b)
  return sorted[Math.floor(share * (sorted.length - 1))] ?? 0
}

async function expectEveryTagOnce(tags: readonly string[]): Promise<void> {
  await eventually(
    async () => {
      const rows = await readLog(fleet, workspace.workspaceId)
      const seen = rows.map(({ tag }) => tag).filter((tag) => tag !== null && tags.includes(tag))
      expect(seen.toSorted()).toEqual(tags.toSorted())
    },
    { withinMs: 45_000, everyMs: 250 },
  )
}

describe.each<[string, { fail(): Promise<unknown>; repair(): Promise<unknown> }]>([
  [
    'the worker is killed',
    {
      async fail() {
        fleet.loggingWorker.signal('SIGKILL')
        await fleet.loggingWorker.exited
      },
      repair: () => fleet.restartLoggingWorker(),
    },
  ],
  ['Redis stops', { fail: () => fleet.redis.refuse(), repair: () => fleet.redis.restore() }],
  [
    'Redis freezes',
    {
      fail: async () => fleet.redis.freeze(),
      async repair() {
        fleet.redis.thaw()
        await fleet.redis.restore()
      },
    },
  ],
  [
    'Redis and the logging service are unavailable',
    {
      async fail() {
        fleet.logging.signal('SIGSTOP')
        await fleet.redis.refuse()
      },
      async repair() {
        await fleet.redis.restore()
        fleet.logging.signal('SIGCONT')
      },
    },
  ],
  ['the tables of the log are locked', { fail: () => lockLog(), repair: () => unlockLog() }],
])('while %s', (name, { fail, repair }) => {
  it('no request fails or becomes slower, and every exchange is logged once', async () => {
    const calm = await askDuring(`calm ${name}`, () => someAnswers(40))
    const stormy = await askDuring(`stormy ${name}`, async () => {
      await someAnswers(10)
      await fail()
      await someAnswers(80)
      await repair()
      await someAnswers(10)
    })
    expect(new Set(stormy.map(({ status }) => status))).toEqual(new Set([200]))
    expect(percentile(stormy, 0.5)).toBeLessThan(2 * percentile(calm, 0.5) + 10)
    await expectEveryTagOnce([...calm, ...stormy].map(({ tag }) => tag))
    expect(await counted('ratchet_captured_exchanges_total', 'outcome="dropped"')).toBe(0)
    if (name === 'Redis stops')
      expect(await counted('ratchet_captured_exchanges_total', 'outcome="direct"')).toBeGreaterThan(0)
  }, 300_000)
})
