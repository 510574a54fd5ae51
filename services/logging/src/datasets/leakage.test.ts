import { randomFromSeed } from '@ratchet/stats/random-from-seed'
import { curate } from './curate.ts'
import { digestExchange } from './digest-exchange.ts'
import type { Conversation } from './fold-exchanges.ts'
import { measureLeakage } from './leakage.ts'
import { likeness } from './prompt-sketch.ts'
import { exchangeOf, finish, user } from './stored-exchange.fixture.ts'

const random = randomFromSeed('leakage')
const any = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T
const syllables = 'ba ke di fo gu la me ni po ru sa te vi wo zu'.split(' ')
const words = Array.from({ length: 12 }, () => any(syllables) + any(syllables) + any(syllables))
/** Prompts of a few words in any order, so that every run of characters is in hundreds of them; some differ in one word. */
const texts = Array.from({ length: 1_500 }, (_, n) => {
  const text = Array.from({ length: 24 }, () => any(words))
  const changed = text.with(n % text.length, any(words))
  return n % 5 === 0 ? [text.join(' '), changed.join(' ')] : [text.join(' ')]
}).flat()

const digests = texts.map((text, n) =>
  finish(digestExchange(exchangeOf(n, { messages: [user(text)] }), { includeTools: true, nearDuplicates: false })),
)

/** Compares every pair. */
function exactly(held: readonly Conversation[], train: readonly Conversation[]) {
  const prompts = (side: Conversation) => side.leaf.asked.map(({ hashes }) => hashes)
  const trained = train.flatMap(prompts)
  const nearest = held.map((each) =>
    Math.max(...prompts(each).flatMap((one) => trained.map((other) => likeness(one, other)))),
  )
  return { share: nearest.filter((each) => each >= 0.8).length / held.length, nearest: Math.max(...nearest) }
}

it('finds what the search missed that decides about the split', () => {
  const { summary, ...sides } = finish(curate(digests, { holdoutPct: 20, seed: 1 }))
  const byId = new Map(digests.map((leaf) => [leaf.key.id, leaf]))
  const conversations = (side: typeof sides.train) =>
    side.flatMap(({ key }): Conversation[] => {
      const leaf = byId.get(key.id)
      return leaf === undefined ? [] : [{ leaf, folded: [] }]
    })
  const [held, train] = [conversations(sides.eval), conversations(sides.train)]
  expect(summary.leakage).toEqual({ ...exactly(held, train), share_ci: null, compared: summary.eval_count })
  expect(summary.leakage?.share).toBeGreaterThan(0)
})

describe('of a large set', () => {
  const conversations = digests.map((leaf) => ({ leaf, folded: [] }))
  const sides = { held: conversations.slice(0, 600), train: conversations.slice(600) }

  it('compares a random sample, and says how far the share may be from that of all', () => {
    const copies = { ...sides, train: [...sides.train, ...sides.held.slice(0, 300)] }
    const sampled = finish(measureLeakage(copies, { seed: 3, pairs: 200 * copies.train.length }))
    expect(sampled?.compared).toBeGreaterThanOrEqual(200)
    expect(sampled?.compared).toBeLessThan(220)
    const { share, nearest } = exactly(copies.held, copies.train)
    const [low, high] = sampled?.share_ci ?? [1, 0]
    expect(low).toBeLessThan(share)
    expect(high).toBeGreaterThan(share)
    expect(high - low).toBeLessThan(0.15)
    expect(sampled?.nearest).toBe(nearest)
  })

  it('draws the same sample again, and at least a hundred', () => {
    const draw = (seed: number) => finish(measureLeakage(sides, { seed, pairs: 1 }))
    expect(draw(1)).toEqual(draw(1))
    expect(draw(1)?.compared).toBe(100)
  })
})

it('measures nothing when nothing is held out', () => {
  expect(finish(measureLeakage({ held: [], train: [] }, { seed: 1 }))).toBeNull()
})
