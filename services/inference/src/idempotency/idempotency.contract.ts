import { randomBytes, randomUUID } from 'node:crypto'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import type { Claim, ClaimQuestion, IdempotencyStore, RecordedAnswer } from './idempotency.ts'

export interface IdempotencyUnderTest {
  readonly store: IdempotencyStore
  /** Ends the leases of all running claims, as if they had not been extended. */
  endLeases(): Promise<void>
  /** Lets so many milliseconds pass for the stored answers. */
  pass(ms: number): Promise<void>
  /** Deletes expired records and returns their number. */
  sweep(): Promise<number>
}

/** The behaviour of every idempotency store; both the real one and the one in memory run it. */
export function idempotencyContract(name: string, open: (maxFreeBytes: number) => Promise<IdempotencyUnderTest>): void {
  const ask = (changes: Partial<ClaimQuestion> = {}): ClaimQuestion => ({
    workspaceId: randomUUID(),
    key: randomUUID(),
    fingerprint: randomBytes(32),
    ...changes,
  })
  const answerOf = (changes: Partial<RecordedAnswer> = {}): RecordedAnswer => ({
    status: 200,
    dialect: 'chat',
    servedModel: 'sim/large',
    headers: { 'X-Svc-Alias': 'quotes "and" \\ {commas},' },
    body: randomBytes(200),
    costNano: 9_007_199_254_740_993n,
    ...changes,
  })
  const claimed = async (store: IdempotencyStore, question: ClaimQuestion): Promise<Claim> => {
    const outcome = await store.claim(question)
    if (outcome.kind !== 'claimed') throw new Error(`not claimed: ${outcome.kind}`)
    return outcome.claim
  }

  const maxFreeBytes = 100_000

  describe(name, () => {
    it('gives one of many claims of a key to one caller, and reports the others as running', async () => {
      const { store } = await open(maxFreeBytes)
      const question = ask()
      const outcomes = await Promise.all(Array.from({ length: 30 }, () => store.claim(question)))
      expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['claimed', ...Array(29).fill('running')])
      expect(await store.claim(question)).toEqual({ kind: 'running' })
    })

    it('separates keys, and workspaces with the same key', async () => {
      const { store } = await open(maxFreeBytes)
      const question = ask()
      const questions = [question, ask({ ...question, workspaceId: randomUUID() }), ask({ ...question, key: 'other' })]
      const claims = await Promise.all(questions.map((item) => claimed(store, item)))
      expect(new Set(claims.map(({ billingId }) => billingId)).size).toBe(3)
    })

    it('replays what was recorded, byte for byte, with the id it is charged under', async () => {
      const { store } = await open(maxFreeBytes)
      const question = ask()
      const claim = await claimed(store, question)
      const answer = answerOf()
      expect(await store.record(claim, answer)).toBe('recorded')
      const replay = { kind: 'replay', billingId: claim.billingId, answer }
      expect(await Promise.all([store.claim(question), store.claim(question)])).toEqual([replay, replay])
    })

    it('records many answers at once, each under its own key', async () => {
      const { store } = await open(maxFreeBytes)
      const questions = Array.from({ length: 50 }, () => ask())
      const claims = await Promise.all(questions.map((question) => claimed(store, question)))
      const answers = claims.map((_, index) => answerOf({ body: randomBytes(index * 20), costNano: BigInt(index) }))
      const outcomes = await Promise.all(claims.map((claim, index) => store.record(claim, answers[index]!)))
      expect(new Set(outcomes)).toEqual(new Set(['recorded']))
      const replays = await Promise.all(questions.map((question) => store.claim(question)))
      expect(replays).toEqual(
        answers.map((answer, index) => ({ kind: 'replay', billingId: claims[index]?.billingId, answer })),
      )
    })

    it('accepts the same answer twice', async () => {
      const { store } = await open(maxFreeBytes)
      const claim = await claimed(store, ask())
      const answer = answerOf()
      expect([await store.record(claim, answer), await store.record(claim, answer)]).toEqual(['recorded', 'recorded'])
    })

    it('refuses another request with the same key, in every state of the first', async () => {
      const { store, endLeases } = await open(maxFreeBytes)
      const question = ask()
      const other = ask({ ...question, fingerprint: randomBytes(32) })
      const claim = await claimed(store, question)
      expect(await store.claim(other)).toEqual({ kind: 'conflict_body' })
      await endLeases()
      expect(await store.claim(other)).toEqual({ kind: 'conflict_body' })
      await store.record(claim, answerOf())
      expect(await store.claim(other)).toEqual({ kind: 'conflict_body' })
    })

    it('lets one of many take over a claim whose lease expired, to be charged under another id', async () => {
      const { store, endLeases } = await open(maxFreeBytes)
      const question = ask()
      const first = await claimed(store, question)
      await endLeases()
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => store.claim(question)))
      const next = outcomes.flatMap((outcome) => (outcome.kind === 'claimed' ? [outcome.claim] : []))
      expect(next).toHaveLength(1)
      expect(next[0]?.billingId).not.toBe(first.billingId)
      expect(next[0]?.generation).toBeGreaterThan(first.generation)
    })

    it('records no answer for a claim that was taken over', async () => {
      const { store, endLeases } = await open(maxFreeBytes)
      const question = ask()
      const first = await claimed(store, question)
      await endLeases()
      const second = await claimed(store, question)
      expect(await store.extend(first)).toBe(false)
      expect(await store.record(first, answerOf())).toBe('lost')
      await store.abandon(first)
      expect(await store.claim(question)).toEqual({ kind: 'running' })
      const answer = answerOf()
      expect(await store.record(second, answer)).toBe('recorded')
      expect(await store.record(first, answerOf())).toBe('lost')
      expect(await store.claim(question)).toEqual({ kind: 'replay', billingId: second.billingId, answer })
    })

    it('lets no caller take over a claim that is extended', async () => {
      const { store, endLeases } = await open(maxFreeBytes)
      const question = ask()
      const claim = await claimed(store, question)
      await endLeases()
      expect(await store.extend(claim)).toBe(true)
      expect(await store.claim(question)).toEqual({ kind: 'running' })
    })

    it('records a late answer as long as no caller took over', async () => {
      const { store, endLeases } = await open(maxFreeBytes)
      const question = ask()
      const claim = await claimed(store, question)
      await endLeases()
      expect(await store.record(claim, answerOf())).toBe('recorded')
      expect((await store.claim(question)).kind).toBe('replay')
    })

    it('gives an abandoned key to a retry and to any other request at once, to be charged anew', async () => {
      const { store } = await open(maxFreeBytes)
      const question = ask()
      const first = await claimed(store, question)
      await store.abandon(first)
      const second = await claimed(store, ask({ ...question, fingerprint: randomBytes(32) }))
      expect(second.billingId).not.toBe(first.billingId)
      await store.abandon(second)
      expect((await claimed(store, question)).billingId).not.toBe(first.billingId)
    })

    it('never abandons or extends an answer', async () => {
      const { store } = await open(maxFreeBytes)
      const question = ask()
      const claim = await claimed(store, question)
      await store.record(claim, answerOf())
      expect(await store.extend(claim)).toBe(false)
      await store.abandon(claim)
      expect((await store.claim(question)).kind).toBe('replay')
    })

    it('records no answer beyond 10 MiB, and abandons its claim', async () => {
      const { store } = await open(maxFreeBytes)
      const [fits, large] = [ask(), ask()]
      const claims = [await claimed(store, fits), await claimed(store, large)] as const
      expect(await store.record(claims[0], answerOf({ body: Buffer.alloc(10_485_760) }))).toBe('recorded')
      expect(await store.record(claims[1], answerOf({ body: Buffer.alloc(10_485_761) }))).toBe('too_large')
      expect((await store.claim(fits)).kind).toBe('replay')
      expect((await store.claim(large)).kind).toBe('claimed')
    })

    it('records answers that cost nothing up to the share of a workspace, and paid ones beyond it', async () => {
      const { store } = await open(maxFreeBytes)
      const workspaceId = randomUUID()
      const record = async (costNano: bigint, changes: Partial<ClaimQuestion> = {}) => {
        const question = ask({ workspaceId, ...changes })
        const answer = answerOf({ body: randomBytes(maxFreeBytes / 5), costNano })
        const outcome = await store.record(await claimed(store, question), answer)
        return [outcome, (await store.claim(question)).kind]
      }
      const free = await Promise.all(Array.from({ length: 4 }, () => record(0n)))
      expect(free).toEqual(Array(4).fill(['recorded', 'replay']))
      expect([await record(0n), await record(0n)]).toEqual([
        ['recorded', 'replay'],
        ['too_large', 'claimed'],
      ])
      expect(await record(1n)).toEqual(['recorded', 'replay'])
      expect(await record(0n, { workspaceId: randomUUID() })).toEqual(['recorded', 'replay'])
    })

    it('deletes an answer after a day, whether it was swept or not', async () => {
      const { store, pass, sweep } = await open(maxFreeBytes)
      const [swept, unswept] = [ask(), ask()]
      const first = [await claimed(store, swept), await claimed(store, unswept)] as const
      await Promise.all(first.map((claim) => store.record(claim, answerOf())))
      await pass(dayMs - 60_000)
      expect(await sweep()).toBe(0)
      expect((await store.claim(swept)).kind).toBe('replay')
      await pass(60_000)
      const other = await claimed(store, ask({ ...unswept, fingerprint: randomBytes(32) }))
      expect(await sweep()).toBe(1)
      const again = await claimed(store, swept)
      expect([other.billingId, again.billingId]).not.toContain(first[0].billingId)
      expect([other.billingId, again.billingId]).not.toContain(first[1].billingId)
    })

    it('keeps an answer for as long as its request requires, beside others', async () => {
      const { store, pass, sweep } = await open(maxFreeBytes)
      const [week, day] = [ask({ keepMs: 7 * dayMs }), ask()]
      const claims = await Promise.all([week, day].map((question) => claimed(store, question)))
      await Promise.all(claims.map((claim) => store.record(claim, answerOf())))
      await pass(7 * dayMs - 60_000)
      expect(await sweep()).toBe(1)
      expect((await store.claim(week)).kind).toBe('replay')
      await pass(60_000)
      expect(await sweep()).toBe(1)
    })

    it('deletes a claim without an answer', async () => {
      const { store, pass, sweep } = await open(maxFreeBytes)
      await claimed(store, ask())
      expect(await sweep()).toBe(0)
      await pass(dayMs)
      expect(await sweep()).toBe(1)
    })
  })
}
