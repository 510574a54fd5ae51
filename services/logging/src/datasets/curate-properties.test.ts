import fc from 'fast-check'
import { type CurationOptions, curate } from './curate.ts'
import { digestExchange } from './digest-exchange.ts'
import { exchangeOf, finish, system, user } from './stored-exchange.fixture.ts'
import type { Message, StoredExchange } from './stored-exchange.ts'

interface Turn {
  /** Index of the turn that it follows; absent for the first turn of a conversation. */
  readonly after: number | null
  readonly instructions: number
  readonly question: number
  readonly answer: number
  readonly trace: number | null
  readonly finishReason: string
}

/** Few distinct texts, so that equal beginnings, duplicates and branches are frequent. */
const turn = fc.record<Turn>({
  after: fc.option(fc.nat(40)),
  instructions: fc.nat(1),
  question: fc.nat(6),
  answer: fc.nat(3),
  trace: fc.option(fc.nat(12)),
  finishReason: fc.constantFrom('stop', 'stop', 'stop', 'stop', 'tool_calls', 'length', 'error'),
})
const turns = fc.array(turn, { maxLength: 60 })
const chosen: fc.Arbitrary<CurationOptions> = fc.record({
  holdoutPct: fc.integer({ min: 0, max: 99 }),
  seed: fc.integer(),
  maxExamples: fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined }),
})

/** A log of conversations that branch. */
function logOf(all: readonly Turn[]): readonly StoredExchange[] {
  const reported: Message[][] = []
  return all.map(({ after, instructions, question, answer, trace, finishReason }, n) => {
    const before = (after === null ? undefined : reported[after % Math.max(1, n)]) ?? [
      system(`You are ${'ab'[instructions]}.`),
    ]
    const messages = [...before, user(`question ${'abcdefg'[question]}`)]
    const response = { role: 'assistant', content: ['yes', 'no', 'maybe', ''][answer] ?? '' }
    reported.push([...messages, response])
    return exchangeOf(n, { messages, response, finishReason, traceId: trace === null ? null : `t${trace}` })
  })
}

function curated(log: readonly StoredExchange[], options: CurationOptions) {
  const digests = log.map((exchange) => finish(digestExchange(exchange, { includeTools: true, nearDuplicates: false })))
  return finish(curate(digests, options))
}

it('accounts for every exchange: matched = kept + dropped, kept = examples + folded turns', () => {
  fc.assert(
    fc.property(turns, chosen, (all, options) => {
      const { summary, train, eval: held } = curated(logOf(all), options)
      const dropped = Object.values(summary.dropped).reduce((sum, count) => sum + count, 0)
      expect(summary.matched).toBe(all.length)
      expect(summary.kept + dropped).toBe(all.length)
      expect(summary.kept).toBe(summary.train_count + summary.eval_count + summary.folded_turns)
      expect([train.length, held.length]).toEqual([summary.train_count, summary.eval_count])
    }),
    { numRuns: 300 },
  )
})

/** Everything in an example that could also occur on the other side. */
function tracksOf(exchange: StoredExchange): readonly string[] {
  const messages = exchange.messages as readonly Message[]
  const prefixes = messages.map((_, at) => JSON.stringify(messages.slice(0, at + 1)))
  return [...prefixes.slice(1), ...(exchange.traceId === null ? [] : [exchange.traceId])]
}

it('keeps the sides disjoint: no exchange, prompt, conversation or trace is on both', () => {
  fc.assert(
    fc.property(turns, chosen, (all, options) => {
      const log = logOf(all)
      const byId = new Map(log.map((exchange) => [exchange.id, exchange]))
      const { train, eval: held } = curated(log, options)
      const tracks = [train, held].map(
        (side) => new Set(side.flatMap(({ key }) => [key.id, ...tracksOf(byId.get(key.id) ?? exchangeOf(0))])),
      )
      expect([...(tracks[0] ?? [])].filter((track) => tracks[1]?.has(track))).toEqual([])
    }),
    { numRuns: 300 },
  )
})

it('does not depend on the order of the log, and is repeatable', () => {
  fc.assert(
    fc.property(
      turns.chain((all) =>
        fc.tuple(
          fc.constant(logOf(all)),
          fc.shuffledSubarray(logOf(all) as StoredExchange[], { minLength: all.length }),
        ),
      ),
      chosen,
      ([log, shuffled], options) => {
        const once = curated(log, options)
        expect(curated(shuffled, options)).toEqual(once)
        expect(curated(log, options)).toEqual(once)
      },
    ),
  )
})

it('folds exactly the exchanges that others continue: the examples are the ends of conversations', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.nat(40)), { maxLength: 40 }), (afters) => {
      const parents = afters.map((after, n) => (after === null || n === 0 ? null : after % n))
      const reported: Message[][] = []
      const log = parents.map((parent, n) => {
        const messages = [...(parent === null ? [] : (reported[parent] ?? [])), user(`question ${n}`)]
        const response = { role: 'assistant', content: `answer ${n}` }
        reported.push([...messages, response])
        return exchangeOf(n, { messages, response })
      })
      const ends = log.flatMap((_, n) => (parents.includes(n) ? [] : [n]))
      const depthOf = (n: number): number =>
        parents[n] === null || parents[n] === undefined ? 0 : 1 + depthOf(parents[n])
      const { train, summary } = curated(log, { holdoutPct: 0, seed: 0 })
      expect(train.map(({ key, foldedTurns }) => [Number(key.id.slice(-12)), foldedTurns])).toEqual(
        ends.map((n) => [n, depthOf(n)]),
      )
      expect(summary.folded_turns).toBe(log.length - ends.length)
    }),
  )
})
