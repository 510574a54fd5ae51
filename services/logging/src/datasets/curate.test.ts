import { type CurationOptions, curate } from './curate.ts'
import { digestExchange } from './digest-exchange.ts'
import { assistant, exchangeOf, finish, system, user } from './stored-exchange.fixture.ts'
import type { StoredExchange } from './stored-exchange.ts'

const options: CurationOptions = { holdoutPct: 0, seed: 0 }

function curated(exchanges: readonly StoredExchange[], changes: Partial<CurationOptions & { near: boolean }> = {}) {
  const { near = false, ...more } = changes
  const digests = exchanges.map((each) => finish(digestExchange(each, { includeTools: true, nearDuplicates: near })))
  return finish(curate(digests, { ...options, ...more }))
}

const idsOf = (examples: readonly { readonly key: { readonly id: string } }[]) =>
  examples.map(({ key }) => Number(key.id.slice(-12)))

it('drops unsuitable exchanges, with the first reason that applies', () => {
  const { summary, train } = curated([
    exchangeOf(1),
    exchangeOf(2, { finishReason: 'length' }),
    exchangeOf(3, { finishReason: 'content_filter' }),
    exchangeOf(4, { finishReason: 'error' }),
    exchangeOf(5, { response: { error: 'none' } }),
    exchangeOf(6, { messages: 'none' }),
    exchangeOf(7, { response: { role: 'assistant', content: ' \n' } }),
    exchangeOf(8, { response: assistant('<think>hm</think> ') }),
    exchangeOf(9, { messages: [] }),
    exchangeOf(10, { sizeBytes: 262_145 }),
    exchangeOf(11, {
      messages: [user('question 1 ')],
      response: { role: 'assistant', content: [{ type: 'text', text: 'answer 1' }] },
    }),
  ])
  expect(idsOf(train)).toEqual([1])
  expect(summary).toMatchObject({
    matched: 11,
    kept: 1,
    dropped: { truncated: 1, errored: 4, empty: 3, too_long: 1, duplicate: 1 },
  })
})

it('keeps a reply that only calls a tool, and two answers to one prompt', () => {
  const call = { type: 'function', id: 'c', function: { name: 'f', arguments: '{}' } }
  const { summary } = curated([
    exchangeOf(1, { response: { role: 'assistant', content: null, tool_calls: [call] }, finishReason: 'tool_calls' }),
    exchangeOf(2, { messages: [user('q')], response: assistant('one') }),
    exchangeOf(3, { messages: [user('q')], response: assistant('other') }),
  ])
  expect(summary).toMatchObject({ matched: 3, kept: 3, train_count: 3 })
})

const [greeting, weather] = [[user('hi')], [user('hi'), assistant('hello'), user('weather?')]]

describe('folding', () => {
  it('makes one example of a conversation whose exchanges contain each other', () => {
    const { train, summary } = curated([
      exchangeOf(1, { messages: greeting, response: assistant('hello') }),
      exchangeOf(2, { messages: weather, response: assistant('sunny') }),
      exchangeOf(3, { messages: [...weather, assistant('sunny'), user('thanks')], response: assistant('bye') }),
    ])
    expect(train).toMatchObject([{ foldedTurns: 2, muted: [] }])
    expect(summary).toMatchObject({ kept: 3, train_count: 1, folded_turns: 2, folded_conversations: 1 })
  })

  it('loses no exchange that is in the trace of an inner one, but not in that of the leaf', () => {
    const second = [system('b'), user('q'), assistant('yes'), user('r')]
    const { summary } = curated([
      exchangeOf(1, { messages: [system('a'), user('q')], response: assistant('yes'), traceId: 't1' }),
      exchangeOf(2, { messages: second, response: assistant('no'), traceId: 't1' }),
      exchangeOf(3, { messages: [...second, assistant('no'), user('s')], traceId: 't2' }),
    ])
    expect(summary).toMatchObject({ matched: 3, kept: 3, train_count: 2, folded_turns: 1 })
  })

  it('recognizes an answer despite the changes that clients make when they send it back', () => {
    const calls = (id: string, spaced: string) => [{ id, type: 'function', function: { name: 'f', arguments: spaced } }]
    const answer = {
      role: 'assistant',
      content: null,
      refusal: null,
      tool_calls: calls('c1', '{"a": 1}'),
      annotations: [],
    }
    const sentBack = { role: 'assistant', content: '', tool_calls: calls('c2', '{"a":1}') }
    const result = { role: 'tool', tool_call_id: 'c2', content: 'found' }
    const thought = { role: 'assistant', content: '<think>long</think>\n\nIt is there.' }
    const { train } = curated([
      exchangeOf(1, { messages: [user('find it')], response: answer }),
      exchangeOf(2, { messages: [user('find it'), sentBack, result], response: thought }),
      exchangeOf(3, {
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'find it' }] },
          sentBack,
          result,
          assistant('It is there.'),
          user('thanks'),
        ],
        response: assistant('bye'),
      }),
    ])
    expect(train).toMatchObject([{ foldedTurns: 2 }])
  })

  it('does not fold exchanges with other words or other tools, nor a greeting into other instructions', () => {
    const tools = [{ type: 'function', function: { name: 'f' } }]
    const { train, summary } = curated([
      exchangeOf(1, { traceId: 't', messages: greeting, response: assistant('hello') }),
      exchangeOf(2, { traceId: 't', messages: [user('plan'), assistant('hello there'), user('go')] }),
      exchangeOf(3, { messages: [system('Be brief.'), ...weather] }),
      exchangeOf(4, { traceId: 't', messages: weather, tools }),
    ])
    expect(train).toHaveLength(4)
    expect(summary).toMatchObject({ folded_turns: 0, folded_conversations: 0 })
  })

  it('repeats the common beginning in each branch, and counts it once', () => {
    const { train, summary } = curated([
      exchangeOf(1, { messages: greeting, response: assistant('hello') }),
      exchangeOf(2, { messages: weather, response: assistant('sunny') }),
      exchangeOf(3, { messages: [...weather.slice(0, 2), user('news?')], response: assistant('none') }),
    ])
    expect(train.map(({ foldedTurns }) => foldedTurns)).toEqual([1, 1])
    expect(summary).toMatchObject({ matched: 3, kept: 3, folded_turns: 1, folded_conversations: 2, train_count: 2 })
  })

  it('mutes an earlier answer that was cut off', () => {
    const { train, summary } = curated([
      exchangeOf(1, { messages: greeting, response: assistant('hello'), finishReason: 'length' }),
      exchangeOf(2, { messages: weather, response: assistant('sunny') }),
    ])
    expect(train).toMatchObject([{ foldedTurns: 0, muted: [1] }])
    expect(summary).toMatchObject({ kept: 1, dropped: { truncated: 1 } })
  })
})

it('finds near duplicates only if requested, and keeps the oldest', () => {
  const text = (end: string) =>
    `The parcel with the blue lamp that I ordered on your page three weeks ago has still not come to my house, and nobody answers my letters about it, so please tell me where it is now and when I may expect it to come ${end}`
  const exchanges = [1, 2].map((n) =>
    exchangeOf(n, { messages: [user(text(n === 1 ? 'here' : 'over'))], response: assistant('On its way.') }),
  )
  expect(curated(exchanges).summary).toMatchObject({ kept: 2, dropped: { near_duplicate: 0 } })
  const { train, summary } = curated([...exchanges, exchangeOf(3)], { near: true })
  expect(idsOf(train)).toEqual([1, 3])
  expect(summary).toMatchObject({ kept: 2, dropped: { near_duplicate: 1 } })
})

it('draws at most the maximum number of examples, and the seed determines which', () => {
  const exchanges = Array.from({ length: 40 }, (_, n) => exchangeOf(n))
  const draws = [0, 1].map((seed) => curated(exchanges, { maxExamples: 10, seed }))
  for (const { summary } of draws) expect(summary).toMatchObject({ kept: 10, dropped: { over_max_examples: 30 } })
  expect(idsOf(draws[0]?.train ?? [])).not.toEqual(idsOf(draws[1]?.train ?? []))
})

const valleyOf = (n: number) => `${'abcdefghij'[n % 10]?.repeat(6)}${'klmno'[Math.floor(n / 10)]?.repeat(9)}`

describe('the holdout', () => {
  const many = Array.from({ length: 200 }, (_, n) => exchangeOf(n))

  it('is the requested percentage of the examples', () => {
    expect(curated(many, { holdoutPct: 10 }).summary).toMatchObject({ train_count: 180, eval_count: 20 })
    expect(curated(many.slice(0, 3), { holdoutPct: 1 }).summary).toMatchObject({ train_count: 2, eval_count: 1 })
    expect(curated(many.slice(0, 1), { holdoutPct: 50 }).summary).toMatchObject({ train_count: 1, eval_count: 0 })
    expect(curated(many.slice(0, 10), { holdoutPct: 99 }).summary.train_count).toBeGreaterThan(0)
  })

  it('differs under another seed', () => {
    const [a, b] = [1, 2].map((seed) => idsOf(curated(many, { holdoutPct: 10, seed }).eval))
    expect(a).not.toEqual(b)
  })

  it('keeps a trace, a conversation and exchanges with the same beginning on one side', () => {
    const linked = Array.from({ length: 120 }, (_, n) =>
      exchangeOf(n, { traceId: `t${n % 40}`, conversationId: n < 60 ? `c${n % 20}` : null }),
    )
    const { train, eval: held } = curated(linked, { holdoutPct: 20 })
    const threads = (side: readonly { key: { id: string } }[]) => new Set(idsOf(side).map((n) => n % 20))
    expect([...threads(train)].filter((each) => threads(held).has(each))).toEqual([])
    expect(held.length).toBeGreaterThan(0)
  })

  it('keeps conversations together whose instructions differ only in the date', () => {
    const turns = Array.from({ length: 50 }, (_, n) => [
      exchangeOf(2 * n, { messages: [system('Today is 2026-03-01.'), user(`q${'x'.repeat(n)}`)] }),
      exchangeOf(2 * n + 1, {
        messages: [system('Today is 2026-03-02.'), user(`q${'x'.repeat(n)}`), assistant('a'), user('b')],
      }),
    ]).flat()
    const { train, eval: held } = curated(turns, { holdoutPct: 30 })
    const opened = (side: readonly { key: { id: string } }[]) => new Set(idsOf(side).map((n) => Math.floor(n / 2)))
    expect([...opened(train)].filter((each) => opened(held).has(each))).toEqual([])
  })

  it('keeps prompts together that are asked with other instructions', () => {
    const asked = Array.from({ length: 100 }, (_, n) =>
      exchangeOf(n, {
        messages: [
          system(n % 2 === 0 ? 'Be brief.' : 'Be thorough.'),
          user(`Where does the river of valley ${valleyOf(Math.floor(n / 2))} begin?`),
        ],
      }),
    )
    const { summary, train, eval: held } = curated(asked, { holdoutPct: 50 })
    const questions = (side: readonly { key: { id: string } }[]) => new Set(idsOf(side).map((n) => Math.floor(n / 2)))
    expect([...questions(train)].filter((each) => questions(held).has(each))).toEqual([])
    expect(summary).toMatchObject({ kept: 100, dropped: { leaked: 0 } })
    expect(held.length).toBeGreaterThan(30)
  })
})

it('lets others have a turn hundreds of times while it curates a thousand exchanges', () => {
  const exchanges = Array.from({ length: 1_000 }, (_, n) => exchangeOf(n, { messages: [user(`question ${n}`)] }))
  const digests = exchanges.map((each) => finish(digestExchange(each, { includeTools: true, nearDuplicates: true })))
  const steps = curate(digests, { holdoutPct: 20, seed: 0 })
  let [turns, longestMs] = [0, 0]
  for (let isDone = false; !isDone; turns++) {
    const startedAt = performance.now()
    isDone = steps.next().done === true
    longestMs = Math.max(longestMs, performance.now() - startedAt)
  }
  expect(turns).toBeGreaterThan(5_000)
  expect(longestMs).toBeLessThan(250)
})

it('lets others have a turn between the messages of a long prompt', () => {
  const messages = Array.from({ length: 10_000 }, (_, n) => (n % 2 === 0 ? user(`q${n % 7}`) : assistant('a')))
  const steps = digestExchange(exchangeOf(1, { messages }), { includeTools: true, nearDuplicates: true })
  let turns = 0
  while (steps.next().done !== true) turns += 1
  expect(turns).toBeGreaterThan(20_000)
})
