import { createDemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { postChat } from './clients.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { readLedger } from './ledger-oracle.ts'

let fleet: Fleet

beforeEach(async () => {
  fleet = await startFleet({ env: { DATABASE_SILENCE_MS: '250' } })
}, 60_000)
afterEach(() => fleet?.stop(), 60_000)

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
    '%s: chat goes on as if nothing happened',
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
    '%s: callers get 503 with Retry-After within 300 ms, never a 401, and it heals',
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
        expect(ms).toBeLessThan(400) // 300 ms of the fleet's, and the test machine's own
      }
      fleet.postgres.thaw()
      await fleet.postgres.restore()
      await eventually(async () => (await postChat(fleet, { model: 'sim/echo' })).status === 200, { withinMs: 10_000 })
    },
    60_000,
  )

  it.each([
    ['stops', () => fleet.postgres.refuse()],
    ['freezes', async () => fleet.postgres.freeze()],
  ])(
    '%s: running streams finish, and every delivered answer is charged after it is back',
    async (_name, fail) => {
      const before = await ledgerState()
      const call = () => postChat(fleet, { model: 'sim/pace-20', stream: true, body: { max_tokens: 50 } })
      const streams = await Promise.all(Array.from({ length: 20 }, call))
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

  it('stays away while inference is killed: the charges of delivered answers survive in the spill', async () => {
    const before = await ledgerState()
    const call = () => postChat(fleet, { model: 'sim/pace-20', stream: true, body: { max_tokens: 30 } })
    const streams = await Promise.all(Array.from({ length: 5 }, call))
    await fleet.postgres.refuse()
    const texts = await Promise.all(streams.map((stream) => stream.text()))
    expect(texts.every((text) => text.endsWith('data: [DONE]\n\n'))).toBe(true)
    fleet.inference.signal('SIGKILL')
    await fleet.inference.exited
    await fleet.postgres.restore()
    await fleet.restartInference()
    const after = await settledLedger()
    expect(after.posted - before.posted).toBe(5)
    expect(after.violations).toEqual([])
  }, 90_000)
})

describe('a process', () => {
  it('that gets SIGTERM finishes its streams and leaves clean books', async () => {
    const stream = await postChat(fleet, { model: 'sim/pace-20', stream: true, body: { max_tokens: 100 } })
    const [edge] = fleet.edges
    edge?.signal('SIGTERM')
    fleet.inference.signal('SIGTERM')
    const text = await stream.text()
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
    expect(await edge?.exited).toEqual({ code: 0, signal: null })
    expect(await fleet.inference.exited).toEqual({ code: 0, signal: null })
    expect(await ledgerState()).toMatchObject({ open: 0, held: 0n, violations: [] })
  }, 60_000)

  it('that is killed with a stream open leaves an error to the client, and its hold is swept', async () => {
    const stream = await postChat(fleet, { model: 'sim/pace-20', stream: true, body: { max_tokens: 500 } })
    const reading = stream.text()
    fleet.inference.signal('SIGKILL')
    await expect(reading).rejects.toThrow()
    await fleet.restartInference()
    const after = await settledLedger()
    expect(after.violations).toEqual([])
  }, 120_000)
})

describe('a client that stops reading', () => {
  it('holds back its provider instead of filling memory', async () => {
    const rich = await createDemoWorkspace(fleet.databaseUrl, { balanceUsd: '1000.00' })
    const leaving = new AbortController()
    // Comes back as a stream of some 30 MB: more than the sockets on its way can hold.
    const call = { apiKey: rich.apiKey, model: 'sim/echo', content: 'x'.repeat(600_000), stream: true }
    for (let i = 0; i < 4; i++) {
      expect((await postChat(fleet, { ...call, signal: leaving.signal })).status).toBe(200)
    }
    await enough(10)
    const { requests } = await fleet.provider.report({ model: 'sim/echo' })
    expect(requests.filter(({ completed, stream }) => stream && !completed)).toHaveLength(4)
    leaving.abort()
    await eventually(async () => {
      const after = await readLedger(fleet.databaseUrl, rich.workspaceId)
      expect(after).toMatchObject({ open: 0, held: 0n, posted: 4, violations: [] })
    })
  }, 60_000)
})

/** Lets `count` chats of its own go through, as a clock that runs with the machine. */
async function enough(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await (await postChat(fleet, { model: 'sim/echo' })).text()
}

function median(answers: readonly { ms: number }[]): number {
  const sorted = answers.map(({ ms }) => ms).sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
