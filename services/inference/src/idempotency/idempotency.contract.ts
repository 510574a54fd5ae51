import { randomBytes, randomUUID } from 'node:crypto'
import type { Claim, ClaimQuestion, IdempotencyStore, KeptAnswer } from './idempotency.ts'

export interface IdempotencyUnderTest {
  readonly store: IdempotencyStore
  /** Lets the leases of all running claims run out, as if nobody had extended them. */
  endLeases(): Promise<void>
  /** Lets so many milliseconds pass for what is kept. */
  pass(ms: number): Promise<void>
  /** Forgets what is over; how many that were. */
  sweep(): Promise<number>
}

const dayMs = 86_400_000

/** What every idempotency store does; run on the real one and on the one in memory. */
export function idempotencyContract(name: string, open: () => Promise<IdempotencyUnderTest>): void {
  const ask = (changes: Partial<ClaimQuestion> = {}): ClaimQuestion => ({
    workspaceId: randomUUID(),
    key: randomUUID(),
    fingerprint: randomBytes(32),
    ...changes,
  })
  const answerOf = (changes: Partial<KeptAnswer> = {}): KeptAnswer => ({
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

  describe(name, () => {
    it('lets one of many claims of a key work, and tells the others so', async () => {
      const { store } = await open()
      const question = ask()
      const outcomes = await Promise.all(Array.from({ length: 30 }, () => store.claim(question)))
      expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['claimed', ...Array(29).fill('running')])
      expect(await store.claim(question)).toEqual({ kind: 'running' })
    })

    it('keeps keys, and workspaces with the same key, apart', async () => {
      const { store } = await open()
      const question = ask()
      const questions = [question, ask({ ...question, workspaceId: randomUUID() }), ask({ ...question, key: 'other' })]
      const claims = await Promise.all(questions.map((item) => claimed(store, item)))
      expect(new Set(claims.map(({ billingId }) => billingId)).size).toBe(3)
    })

    it('replays what was kept, byte for byte, with the id it is billed under', async () => {
      const { store } = await open()
      const question = ask()
      const claim = await claimed(store, question)
      const answer = answerOf()
      expect(await store.keep(claim, answer)).toBe('kept')
      const replay = { kind: 'replay', billingId: claim.billingId, answer }
      expect(await Promise.all([store.claim(question), store.claim(question)])).toEqual([replay, replay])
    })

    it('keeps many answers at once, each under its own key', async () => {
      const { store } = await open()
      const questions = Array.from({ length: 50 }, () => ask())
      const claims = await Promise.all(questions.map((question) => claimed(store, question)))
      const answers = claims.map((_, index) => answerOf({ body: randomBytes(index * 20), costNano: BigInt(index) }))
      const kept = await Promise.all(claims.map((claim, index) => store.keep(claim, answers[index]!)))
      expect(new Set(kept)).toEqual(new Set(['kept']))
      const replays = await Promise.all(questions.map((question) => store.claim(question)))
      expect(replays).toEqual(
        answers.map((answer, index) => ({ kind: 'replay', billingId: claims[index]?.billingId, answer })),
      )
    })

    it('keeps the same answer twice when it is told so twice', async () => {
      const { store } = await open()
      const claim = await claimed(store, ask())
      const answer = answerOf()
      expect([await store.keep(claim, answer), await store.keep(claim, answer)]).toEqual(['kept', 'kept'])
    })

    it('tells another request with the same key, whatever became of the first', async () => {
      const { store, endLeases } = await open()
      const question = ask()
      const other = ask({ ...question, fingerprint: randomBytes(32) })
      const claim = await claimed(store, question)
      expect(await store.claim(other)).toEqual({ kind: 'conflict_body' })
      await endLeases()
      expect(await store.claim(other)).toEqual({ kind: 'conflict_body' })
      await store.keep(claim, answerOf())
      expect(await store.claim(other)).toEqual({ kind: 'conflict_body' })
    })

    it('lets one of many take over a claim whose lease ran out, to be billed under another id', async () => {
      const { store, endLeases } = await open()
      const question = ask()
      const first = await claimed(store, question)
      await endLeases()
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => store.claim(question)))
      const next = outcomes.flatMap((outcome) => (outcome.kind === 'claimed' ? [outcome.claim] : []))
      expect(next).toHaveLength(1)
      expect(next[0]?.billingId).not.toBe(first.billingId)
      expect(next[0]?.generation).toBeGreaterThan(first.generation)
    })

    it('takes nothing from a claim that was taken over', async () => {
      const { store, endLeases } = await open()
      const question = ask()
      const first = await claimed(store, question)
      await endLeases()
      const second = await claimed(store, question)
      expect(await store.extend(first)).toBe(false)
      expect(await store.keep(first, answerOf())).toBe('lost')
      await store.abandon(first)
      expect(await store.claim(question)).toEqual({ kind: 'running' })
      const answer = answerOf()
      expect(await store.keep(second, answer)).toBe('kept')
      expect(await store.keep(first, answerOf())).toBe('lost')
      expect(await store.claim(question)).toEqual({ kind: 'replay', billingId: second.billingId, answer })
    })

    it('lets nobody take over a claim that is extended', async () => {
      const { store, endLeases } = await open()
      const question = ask()
      const claim = await claimed(store, question)
      await endLeases()
      expect(await store.extend(claim)).toBe(true)
      expect(await store.claim(question)).toEqual({ kind: 'running' })
    })

    it('keeps an answer that comes late, as long as nobody took over', async () => {
      const { store, endLeases } = await open()
      const question = ask()
      const claim = await claimed(store, question)
      await endLeases()
      expect(await store.keep(claim, answerOf())).toBe('kept')
      expect((await store.claim(question)).kind).toBe('replay')
    })

    it('lets a repetition, and any other request, have an abandoned key at once, to be billed anew', async () => {
      const { store } = await open()
      const question = ask()
      const first = await claimed(store, question)
      await store.abandon(first)
      const second = await claimed(store, ask({ ...question, fingerprint: randomBytes(32) }))
      expect(second.billingId).not.toBe(first.billingId)
      await store.abandon(second)
      expect((await claimed(store, question)).billingId).not.toBe(first.billingId)
    })

    it('never abandons or extends an answer', async () => {
      const { store } = await open()
      const question = ask()
      const claim = await claimed(store, question)
      await store.keep(claim, answerOf())
      expect(await store.extend(claim)).toBe(false)
      await store.abandon(claim)
      expect((await store.claim(question)).kind).toBe('replay')
    })

    it('keeps no answer beyond 10 MiB, and gives its claim up', async () => {
      const { store } = await open()
      const [fits, large] = [ask(), ask()]
      const claims = [await claimed(store, fits), await claimed(store, large)] as const
      expect(await store.keep(claims[0], answerOf({ body: Buffer.alloc(10_485_760) }))).toBe('kept')
      expect(await store.keep(claims[1], answerOf({ body: Buffer.alloc(10_485_761) }))).toBe('too_large')
      expect((await store.claim(fits)).kind).toBe('replay')
      expect((await store.claim(large)).kind).toBe('claimed')
    })

    it('forgets an answer a day after it came, whether it was swept or not', async () => {
      const { store, pass, sweep } = await open()
      const [swept, unswept] = [ask(), ask()]
      const first = [await claimed(store, swept), await claimed(store, unswept)] as const
      await Promise.all(first.map((claim) => store.keep(claim, answerOf())))
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

    it('keeps an answer for as long as its request said, beside others', async () => {
      const { store, pass, sweep } = await open()
      const [week, day] = [ask({ keepMs: 7 * dayMs }), ask()]
      const claims = await Promise.all([week, day].map((question) => claimed(store, question)))
      await Promise.all(claims.map((claim) => store.keep(claim, answerOf())))
      await pass(7 * dayMs - 60_000)
      expect(await sweep()).toBe(1)
      expect((await store.claim(week)).kind).toBe('replay')
      await pass(60_000)
      expect(await sweep()).toBe(1)
    })

    it('forgets a claim that came to nothing', async () => {
      const { store, pass, sweep } = await open()
      await claimed(store, ask())
      expect(await sweep()).toBe(0)
      await pass(dayMs)
      expect(await sweep()).toBe(1)
    })
  })
}
