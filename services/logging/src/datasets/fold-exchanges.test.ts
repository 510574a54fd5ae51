import fc from 'fast-check'
import type { ExchangeDigest } from './digest-exchange.ts'
import { type Conversation, foldExchanges } from './fold-exchanges.ts'
import { finish } from './stored-exchange.fixture.ts'

type Facts = Pick<ExchangeDigest, 'whole' | 'talk' | 'earlier' | 'createdAtMs' | 'isDistinctive' | 'threads'>

function digestOf(facts: Facts): ExchangeDigest {
  return facts as ExchangeDigest
}

/** Says what is folded with comparisons of all pairs. */
function foldedByComparison(digests: readonly ExchangeDigest[]): readonly Conversation[] {
  const conversations = digests.map((leaf) => {
    const folded = leaf.earlier.flatMap(({ whole, talk }) => {
      const same = digests.find((each) => each.whole === whole)
      const others = digests.filter((each) => each !== leaf && each.talk === talk && isOneConversation(leaf, each))
      return same ?? others.findLast(({ createdAtMs }) => createdAtMs <= leaf.createdAtMs) ?? others[0] ?? []
    })
    return { leaf, folded }
  })
  const inner = new Set<ExchangeDigest>()
  for (const { leaf, folded } of conversations.toSorted((a, b) => b.leaf.earlier.length - a.leaf.earlier.length)) {
    if (!inner.has(leaf)) for (const each of folded) inner.add(each)
  }
  return conversations.filter(({ leaf }) => !inner.has(leaf))
}

function isOneConversation(leaf: ExchangeDigest, earlier: ExchangeDigest): boolean {
  return earlier.isDistinctive || earlier.threads.some((thread) => leaf.threads.includes(thread))
}

/** Few different values, so that talks, threads and times are often equal. */
const someDigests = fc
  .uniqueArray(
    fc.record({
      whole: fc.nat(60),
      talk: fc.nat(4),
      earlier: fc.array(fc.record({ whole: fc.nat(90), talk: fc.nat(4) }), { maxLength: 3 }),
      createdAtMs: fc.nat(12),
      isDistinctive: fc.boolean(),
      threads: fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 2 }),
    }),
    { selector: ({ whole }) => whole, maxLength: 30 },
  )
  .map((all) =>
    all
      .toSorted((a, b) => a.createdAtMs - b.createdAtMs)
      .map((each) => {
        const earlier = each.earlier.map((answer, at) => ({ at, whole: `w${answer.whole}`, talk: `t${answer.talk}` }))
        return digestOf({ ...each, whole: `w${each.whole}`, talk: `t${each.talk}`, earlier })
      }),
  )

it('folds what a comparison of all pairs folds', () => {
  fc.assert(
    fc.property(someDigests, (digests) => {
      expect(finish(foldExchanges(digests))).toEqual(foldedByComparison(digests))
    }),
    { numRuns: 2_000 },
  )
})

/** Greetings of one talk whose instructions all differ, and as many exchanges that continue one of them. */
function greetings(count: number, threadsOf: (n: number) => readonly string[], isDistinctive: boolean) {
  const common = { isDistinctive, createdAtMs: 0 }
  const firsts = Array.from({ length: count }, (_, n) =>
    digestOf({ ...common, threads: threadsOf(n), whole: `s${n}`, talk: 'hi', earlier: [] }),
  )
  const seconds = Array.from({ length: count }, (_, n) => {
    const earlier = [{ at: 1, whole: `t${n}`, talk: 'hi' }]
    return digestOf({ ...common, threads: threadsOf(n), whole: `u${n}`, talk: `q${n}`, earlier, createdAtMs: 1 })
  })
  return [...firsts, ...seconds]
}

/** How often folding reads a member of a digest. */
function readsOf(digests: readonly ExchangeDigest[]): number {
  let reads = 0
  const get = (digest: ExchangeDigest, member: keyof ExchangeDigest) => {
    reads += 1
    return digest[member]
  }
  finish(foldExchanges(digests.map((each) => new Proxy(each, { get } as ProxyHandler<ExchangeDigest>))))
  return reads
}

it.each([
  ['without a thread', () => [], false],
  ['in threads of their own', (n: number) => [`trace ${n}`], false],
  ['in one thread', () => ['trace 1'], false],
  ['long enough for any conversation', () => [], true],
] as const)('reads about twice as much for twice as many greetings: %s', (_, threadsOf, isDistinctive) => {
  const small = readsOf(greetings(2_000, threadsOf, isDistinctive))
  const large = readsOf(greetings(4_000, threadsOf, isDistinctive))
  // A comparison of all pairs reads four times as much.
  expect(large).toBeLessThan(2.3 * small)
  expect(small).toBeLessThan(4_000 * 40)
})
