import { createDemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { type ChatCall, postChat } from './clients.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { readLedger } from './ledger-oracle.ts'
import type { FleetProcess } from './start-process.ts'

let fleet: Fleet
/** The process that runs now. */
let inference: FleetProcess

beforeAll(async () => {
  fleet = await startFleet({ env: { DATABASE_SILENCE_MS: '250' } })
  inference = fleet.inference
}, 300_000)
afterAll(() => fleet?.stop(), 180_000)

/** Every test begins with a complete fleet. */
afterEach(async () => {
  await Promise.all([fleet.redis.restore(), fleet.postgres.restore()])
  await eventually(async () => (await postChat(fleet, { model: 'sim/echo' })).status === 200, { withinMs: 45_000 })
  await settledLedger()
  await fleet.provider.reset()
}, 300_000)

function ledgerState() {
  return readLedger(fleet.databaseUrl, fleet.workspace.workspaceId)
}

function settledLedger() {
  return eventually(
    async () => {
      const now = await ledgerState()
      return now.open === 0 && now.held === 0n ? now : null
    },
    { withinMs: 60_000, everyMs: 200 },
  )
}

/** Statuses of chats sent one after the other while `during` runs. */
async function chatDuring(during: () => Promise<unknown>): Promise<readonly { status: number; ms: number }[]> {
  const answers: { status: number; ms: number }[] = []
  let over = false
  const load = (async () => {
    while (!over) {
      const startedAt = performance.now()
      const response = await postChat(fleet, { model: 'sim/echo' })
      await response.text()
      answers.push({ status: response.status, ms: performance.now() - startedAt })
    }
  })()
  await during()
  over = true
  await load
  return answers
}

describe('Redis', () => {
  it.each([
    ['stops', () => fleet.redis.refuse()],
    ['freezes', async () => fleet.redis.freeze()],
  ])(
    '%s: chats are not affected',
    async (_name, fail) => {
      const calm = await chatDuring(() => enough(20))
      const stormy = await chatDuring(async () => {
        await fail()
        await enough(50)
      })
      expect(new Set(stormy.map(({ status }) => status))).toEqual(new Set([200]))
      expect(median(stormy)).toBeLessThan(3 * median(calm) + 20)
      expect(await settledLedger()).toMatchObject({ violations: [] })
    },
    60_000,
  )
})

describe('Postgres', () => {
  it.each([
    ['stops', () => fleet.postgres.refuse()],
    ['freezes', async () => fleet.postgres.freeze()],
  ])(
    '%s: callers receive 503 with Retry-After within 300 ms, never 401, and the fleet recovers',
    async (_name, fail) => {
      expect((await postChat(fleet, { model: 'sim/echo' })).status).toBe(200)
      await fail()
      for (let i = 0; i < 5; i++) {
        const startedAt = performance.now()
        const response = await postChat(fleet, { model: 'sim/echo' })
        const ms = performance.now() - startedAt
        expect(response.status).toBe(503)
        expect(response.headers.get('retry-after')).toMatch(/^\d+$/)
        expect(await response.json()).toMatchObject({ error: { code: 'service_unavailable' } })
        expect(ms).toBeLessThan(400) // 300 ms, and tolerance for the machine
      }
      fleet.postgres.thaw()
      await fleet.postgres.restore()
      await eventually(async () => (await postChat(fleet, { model: 'sim/echo' })).status === 200, { withinMs: 45_000 })
    },
    60_000,
  )

  it.each([
    ['stops', () => fleet.postgres.refuse()],
    ['freezes', async () => fleet.postgres.freeze()],
  ])(
    '%s: running streams finish, and every delivered answer is charged afterwards',
    async (_name, fail) => {
      const before = await ledgerState()
      const streams = await openStreams(20, 50)
      await fail()
      const texts = await Promise.all(streams.map((stream) => stream.text()))
      expect(texts.every((text) => text.endsWith('data: [DONE]\n\n'))).toBe(true)
      fleet.postgres.thaw()
      await fleet.postgres.restore()
      const after = await settledLedger()
      expect(after.posted - before.posted).toBe(20)
      expect(before.balance - after.balance).toBe(after.charged - before.charged)
      expect(after.violations).toEqual([])
    },
    90_000,
  )

  it('unavailable while inference is killed: charges of delivered answers are stored in the spill', async () => {
    const before = await ledgerState()
    const streams = await openStreams(5, 30)
    await fleet.postgres.refuse()
    const texts = await Promise.all(streams.map((stream) => stream.text()))
    expect(texts.every((text) => text.endsWith('data: [DONE]\n\n'))).toBe(true)
    inference.signal('SIGKILL')
    await inference.exited
    await fleet.postgres.restore()
    inference = await fleet.restartInference()
    const after = await settledLedger()
    expect(after.posted - before.posted).toBe(5)
    expect(after.violations).toEqual([])
  }, 300_000)
})

describe('a process', () => {
  it('that receives SIGTERM finishes its streams and leaves a correct ledger', async () => {
    const edge = await fleet.add('edge')
    const call = { model: 'sim/pace-20', stream: true, body: { max_tokens: 100 }, url: edge.url }
    const stream = await postChat(fleet, call)
    edge.signal('SIGTERM')
    inference.signal('SIGTERM')
    const text = await stream.text()
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
    expect(await edge.exited).toEqual({ code: 0, signal: null })
    expect(await inference.exited).toEqual({ code: 0, signal: null })
    expect(await ledgerState()).toMatchObject({ open: 0, held: 0n, violations: [] })
    inference = await fleet.restartInference()
  }, 180_000)

  it('that is killed during a stream breaks its connection, and its hold is swept', async () => {
    const stream = await postChat(fleet, { model: 'sim/pace-20', stream: true, body: { max_tokens: 500 } })
    const reading = stream.text()
    inference.signal('SIGKILL')
    await expect(reading).rejects.toThrow()
    inference = await fleet.restartInference()
    const after = await settledLedger()
    expect(after.violations).toEqual([])
  }, 300_000)
})

describe('a client that stops reading', () => {
  it('slows the provider down instead of filling memory', async () => {
    const rich = await createDemoWorkspace(fleet.databaseUrl, { balanceUsd: '1000.00' })
    const leaving = new AbortController()
    // The answer is a stream of about 30 MB, more than the socket buffers on its path can hold.
    const call = { apiKey: rich.apiKey, model: 'sim/echo', content: 'x'.repeat(600_000), stream: true }
    for (let i = 0; i < 4; i++) await openStream({ ...call, signal: leaving.signal })
    await enough(10)
    const { requests } = await fleet.provider.report({ model: 'sim/echo' })
    expect(requests.filter(({ completed, stream }) => stream && !completed)).toHaveLength(4)
    leaving.abort()
    const isSettled = async () => {
      const after = await readLedger(fleet.databaseUrl, rich.workspaceId)
      expect(after).toMatchObject({ open: 0, held: 0n, posted: 4, violations: [] })
    }
    // The tokens of some megabytes are counted first.
    await eventually(isSettled, { withinMs: 45_000 })
  }, 180_000)
})

/** Begins a stream. On a busy machine some are refused because of the database timeout; those are repeated. */
function openStream(call: ChatCall): Promise<Response> {
  return eventually(async () => {
    const response = await postChat(fleet, call)
    if (response.status === 200) return response
    expect([response.status, await response.text()]).toEqual([503, expect.any(String)])
    return null
  })
}

/** Begins concurrent streams. */
function openStreams(count: number, tokens: number): Promise<readonly Response[]> {
  const call = { model: 'sim/pace-20', stream: true, body: { max_tokens: tokens } }
  return Promise.all(Array.from({ length: count }, () => openStream(call)))
}

/** Sends `count` chats, as a duration that depends on the speed of the machine. */
async function enough(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await (await postChat(fleet, { model: 'sim/echo' })).text()
}

function median(answers: readonly { ms: number }[]): number {
  const sorted = answers.map(({ ms }) => ms).sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
