import fc from 'fast-check'
import { modelOf } from '../catalog/catalog.fixture.ts'
import { noUsage, type Usage } from '../wire/usage.ts'
import { costNano, holdNano, soundUsage, usageLimits } from './price.ts'

const usage = (promptTokens: number, completionTokens: number, more: Partial<Usage> = {}): Usage => ({
  ...noUsage,
  promptTokens,
  completionTokens,
  ...more,
})

const priced = (input: string, cached: string | null, output: string, more: object = {}) =>
  modelOf({ input_per_mtok: input, cached_input_per_mtok: cached, output_per_mtok: output, ...more })

const longContext = [
  { above_prompt_tokens: 1_000, input_per_mtok: '2', cached_input_per_mtok: '0.2', output_per_mtok: '15' },
  { above_prompt_tokens: 5_000, input_per_mtok: '4', cached_input_per_mtok: '0.4', output_per_mtok: '15' },
]

describe('costNano', () => {
  it.each([
    // 0.05 USD per million tokens is 50 n$ per token exactly; 20 of them are a whole micro-dollar.
    ['0.05', usage(20, 0), 1_000n],
    ['0.05', usage(21, 0), 2_000n],
    ['0.05', usage(1, 0), 1_000n],
    ['0.05', usage(1_000_000, 0), 50_000_000n],
    // 37.5 n$ per token: 80 tokens are 3 000 n$, 81 are 3 037.5.
    ['0.0375', usage(80, 0), 3_000n],
    ['0.0375', usage(81, 0), 4_000n],
    ['0.000001', usage(1, 0), 1_000n],
    ['0', usage(1_000_000, 0), 0n],
    ['0.05', usage(0, 0), 0n],
  ])('at %s USD per million input tokens charges %j exactly, rounded up once', (input, used, nano) => {
    expect(costNano(priced(input, null, '0'), used)).toBe(nano)
  })

  it('rounds the whole request, not its parts', () => {
    // 0.4 + 0.4 + 0.2 micro-dollars are one, not three.
    const model = priced('0.4', '0.2', '0.4')
    expect(costNano(model, usage(2, 1, { cachedPromptTokens: 1 }))).toBe(1_000n)
  })

  it('prices cached, newly cached and other prompt tokens separately, and completion tokens once', () => {
    const model = priced('10', '1', '50', { cache_write_per_mtok: '12.5' })
    // 600 × 10 + 300 × 1 + 100 × 12.5 + 40 × 50 micro-dollars
    expect(costNano(model, usage(1_000, 40, { cachedPromptTokens: 300, cacheWriteTokens: 100 }))).toBe(9_550_000n)
  })

  it.each([
    [1_000, 1_000n * 1_000n],
    [1_001, 1_001n * 2_000n],
    [5_000, 5_000n * 2_000n],
    [5_001, 5_001n * 4_000n],
  ])('prices every token of a prompt of %d by the tier that it reaches', (promptTokens, nano) => {
    const model = priced('1', '0.1', '10', { price_tiers: longContext })
    expect(costNano(model, usage(promptTokens, 0))).toBe(nano)
  })

  it('adds prices per request and per search', () => {
    const model = modelOf({ kind: 'rerank', max_output_tokens: 0, per_search: '0.002', per_request: '0.0005' })
    expect(costNano(model, usage(0, 0, { searches: 3 }))).toBe(6_500_000n)
  })
})

describe('holdNano', () => {
  const model = priced('1', '0.1', '10', { context_window: 10_000, max_output_tokens: 1_000 })
  const worst = { model, promptTokensUpperBound: 100, maxOutputTokens: null, n: 1 }
  const ceiling = 100n * 1_000n + 1_000n * 10_000n

  it.each([
    ['no limit', null, ceiling],
    ['a limit', 50, 100n * 1_000n + 50n * 10_000n],
    ['a hostile limit', 999_999_999, ceiling],
    ['an infinite limit', Number.POSITIVE_INFINITY, ceiling],
    ['no number', Number.NaN, ceiling],
    ['a negative limit', -5, ceiling],
    ['a limit of 0', 0, 100n * 1_000n],
    ['a fraction', 49.5, 100n * 1_000n + 50n * 10_000n],
  ])('with %s on the output holds the maximum that the model could produce', (_, maxOutputTokens, nano) => {
    expect(holdNano({ ...worst, maxOutputTokens })).toBe(nano)
  })

  it('holds the prompt once and the output for every choice', () => {
    expect(holdNano({ ...worst, n: 3 })).toBe(100n * 1_000n + 3n * 1_000n * 10_000n)
  })

  it.each([
    [0, 1n],
    [Number.NaN, 128n],
    [-1, 128n],
    [1e9, 128n],
  ])('holds %d choices for %s', (n, choices) => {
    expect(holdNano({ ...worst, n })).toBe(100n * 1_000n + choices * 1_000n * 10_000n)
  })

  it.each([10_001, 1e15, Number.NaN, -1, Number.POSITIVE_INFINITY])(
    'holds at most the context window for a prompt of %d',
    (bound) => {
      expect(holdNano({ ...worst, promptTokensUpperBound: bound })).toBe(10_000n * 1_000n + 1_000n * 10_000n)
    },
  )

  it('bounds the inputs of an embedding request by their own size, because the window is that of one input', () => {
    const embedding = modelOf({ kind: 'embedding', context_window: 8_192, max_output_tokens: 0, output_per_mtok: '0' })
    expect(holdNano({ ...worst, model: embedding, promptTokensUpperBound: 100_000 })).toBe(15_000_000n)
  })

  it('fits a Postgres bigint for any model and any hostile request', () => {
    const mostExpensive = modelOf({
      kind: 'embedding',
      context_window: 1_000_000_000,
      max_output_tokens: 1_000_000_000,
      input_per_mtok: '10000',
      output_per_mtok: '10000',
      per_search: '100',
      per_request: '100',
    })
    const hold = holdNano({
      model: mostExpensive,
      promptTokensUpperBound: 1e300,
      maxOutputTokens: 1e300,
      n: 1e9,
      searches: 1e9,
    })
    expect(hold).toBeGreaterThan(10n ** 18n)
    expect(hold).toBeLessThan(2n ** 63n)
  })
})

describe('costs and holds', () => {
  const price = fc.integer({ min: 0, max: 50_000_000 }).map((micro) => (micro / 1_000_000).toFixed(6))
  const anyModel = fc
    .record({
      input: price,
      output: price,
      cachedShare: fc.integer({ min: 0, max: 4 }),
      write: fc.option(price),
      tier: fc.option(fc.integer({ min: 1, max: 20_000 })),
    })
    .map(({ input, output, cachedShare, write, tier }) => {
      const rates = {
        input_per_mtok: input,
        cached_input_per_mtok: cachedShare === 4 ? null : (Number(input) * (cachedShare / 4)).toFixed(6),
        cache_write_per_mtok: write,
        output_per_mtok: output,
      }
      const doubled = Object.entries(rates).map(([name, usd]) => [
        name,
        usd === null ? null : (Number(usd) * 2).toFixed(6),
      ])
      const tiers =
        tier === null ? {} : { price_tiers: [{ ...Object.fromEntries(doubled), above_prompt_tokens: tier }] }
      return modelOf({
        ...rates,
        ...tiers,
        context_window: 40_000,
        max_output_tokens: 8_000,
        per_request: '0.000001234',
      })
    })
  const anyUsage = fc
    .record({
      promptTokens: fc.nat(40_000),
      cached: fc.double({ min: 0, max: 1, noNaN: true }),
      written: fc.double({ min: 0, max: 1, noNaN: true }),
      completionTokens: fc.nat(8_000),
    })
    .map(({ promptTokens, cached, written, completionTokens }) => {
      const cachedPromptTokens = Math.floor(promptTokens * cached)
      const cacheWriteTokens = Math.floor((promptTokens - cachedPromptTokens) * written)
      return { ...noUsage, promptTokens, cachedPromptTokens, cacheWriteTokens, completionTokens }
    })

  it('never cost more than was held while the tokens are within their bounds', () => {
    fc.assert(
      fc.property(anyModel, anyUsage, fc.nat(1_000), fc.integer({ min: 1, max: 4 }), (model, used, slack, n) => {
        const bounds = { promptTokensUpperBound: used.promptTokens + slack, maxOutputTokens: used.completionTokens, n }
        const all = { ...used, completionTokens: used.completionTokens * n }
        return costNano(model, all) <= holdNano({ model, ...bounds })
      }),
      { numRuns: 2_000 },
    )
  })

  it('are whole micro-dollars, at least the exact amount and less than one above it', () => {
    fc.assert(
      fc.property(anyModel, anyUsage, (model, used) => {
        const cost = costNano(model, used)
        const rates = model.tiers.find((tier) => used.promptTokens > tier.abovePromptTokens) ?? model.rates
        const exactPico =
          BigInt(used.promptTokens - used.cachedPromptTokens - used.cacheWriteTokens) * rates.input +
          BigInt(used.cachedPromptTokens) * rates.cachedInput +
          BigInt(used.cacheWriteTokens) * rates.cacheWrite +
          BigInt(used.completionTokens) * rates.output +
          1_234_000n
        const above = cost * 1_000n - exactPico
        return cost % 1_000n === 0n && above >= 0n && above < 1_000_000n
      }),
    )
  })

  it('never decrease with more tokens', () => {
    fc.assert(
      fc.property(anyModel, anyUsage, fc.nat(500), fc.nat(500), (model, used, prompt, completion) => {
        const more = {
          ...used,
          promptTokens: used.promptTokens + prompt,
          completionTokens: used.completionTokens + completion,
        }
        const hold = ({ promptTokens, completionTokens }: Usage) =>
          holdNano({ model, promptTokensUpperBound: promptTokens, maxOutputTokens: completionTokens, n: 1 })
        return costNano(model, more) >= costNano(model, used) && hold(more) >= hold(used)
      }),
    )
  })
})

describe('soundUsage', () => {
  const wide = { promptTokens: 1e9, completionTokens: 1e9 }

  it.each([
    ['the prompt fills the window', 128_000, 100, 100, 1, true],
    ['the prompt exceeds the window', 128_001, 100, 100, 1, false],
    ['the answer has the requested length and its end', 10, 116, 100, 1, true],
    ['the answer is longer than requested', 10, 117, 100, 1, false],
    ['three answers have the requested length', 10, 300, 100, 3, true],
    ['three answers are longer than requested', 10, 349, 100, 3, false],
    ['the request has no limit', 10, 16_384, null, 1, true],
    ['the answer is longer than the model allows', 10, 17_000, null, 1, false],
    ['the answer is longer than the model allows, as requested', 10, 17_000, 1_000_000, 1, false],
  ])('is believed only if it is possible: %s', (_name, promptTokens, completionTokens, maxOutputTokens, n, isSound) => {
    const model = modelOf({ context_window: 128_000, max_output_tokens: 16_384 })
    const limits = usageLimits({ model, maxOutputTokens, n })
    expect(soundUsage(usage(promptTokens, completionTokens), limits) !== null).toBe(isSound)
  })

  it.each([Number.NaN, -1, 0.5, Number.POSITIVE_INFINITY, 1e12, '7' as unknown as number, null as unknown as number])(
    'refuses %p as a token count',
    (count) => {
      expect(soundUsage(usage(count, 1), wide)).toBeNull()
      expect(soundUsage(usage(1, count), wide)).toBeNull()
    },
  )

  it('accepts an explicit zero', () => {
    expect(soundUsage(usage(0, 0), wide)).toMatchObject({ promptTokens: 0, completionTokens: 0 })
  })

  it.each([
    [{ cachedPromptTokens: 11 }, { cachedPromptTokens: 10, cacheWriteTokens: 0 }],
    [
      { cachedPromptTokens: 4, cacheWriteTokens: 9 },
      { cachedPromptTokens: 4, cacheWriteTokens: 6 },
    ],
    [{ cachedPromptTokens: Number.NaN }, { cachedPromptTokens: 0, cacheWriteTokens: 0 }],
    [
      { cachedPromptTokens: -3, cacheWriteTokens: 0.5 },
      { cachedPromptTokens: 0, cacheWriteTokens: 0 },
    ],
  ])('limits %j to parts of a prompt of 10', (reported, parts) => {
    expect(soundUsage(usage(10, 1, reported), wide)).toMatchObject(parts)
  })

  it('accepts only what costNano can price', () => {
    const wild = fc.oneof(fc.double(), fc.integer(), fc.constant(Number.MAX_SAFE_INTEGER))
    const reported = fc.record({
      promptTokens: wild,
      cachedPromptTokens: wild,
      cacheWriteTokens: wild,
      completionTokens: wild,
      reasoningTokens: wild,
      searches: wild,
    })
    fc.assert(
      fc.property(reported, (counts) => {
        const sound = soundUsage(counts, wide)
        return sound === null || costNano(modelOf(), sound) >= 0n
      }),
    )
  })
})

describe('hosted tools and service tiers', () => {
  const hosted_tools = {
    web_search: { per_call: '0.0100', max_result_tokens: 2_000 },
    code_interpreter: { per_call: '0.03', max_result_tokens: 500 },
  }
  const model = priced('1', '0.1', '10', { hosted_tools, service_tiers: { priority: '1.75', flex: '0.5' } })
  const terms = (tier: string | null, maxCalls: number) => ({ tier, hosted: [...model.hostedTools.values()], maxCalls })

  it('adds each search and each container at its price', () => {
    const used = usage(1_000, 0, { webSearches: 3, containers: 1 })
    expect(costNano(model, used, terms(null, 4))).toBe(1_000_000n + 30_000_000n + 30_000_000n)
  })

  describe('with a price of long prompts', () => {
    const long = {
      above_prompt_tokens: 1_000,
      input_per_mtok: '2',
      cached_input_per_mtok: '0.2',
      output_per_mtok: '15',
    }
    const tiered = priced('1', '0.1', '10', { hosted_tools, price_tiers: [long] })
    const cost = (promptTokens: number, webSearches: number, firstPromptTokens?: number) =>
      costNano(tiered, usage(promptTokens, 0, { webSearches }), terms(null, 4), firstPromptTokens)
    const searches = 10_000_000n

    it('prices the prompts of rounds by their own length, not by their sum', () => {
      expect(cost(2_000, 1)).toBe(2_000n * 1_000n + searches)
      expect(cost(2_001, 1)).toBe(2_001n * 2_000n + searches)
    })

    it('prices a first prompt that is long by its length, of at most half of the sum, however many calls there were', () => {
      expect(cost(2_001, 4, 1_900)).toBe(2_001n * 1_000n + 4n * searches)
      expect(cost(3_000, 4, 1_001)).toBe(3_000n * 2_000n + 4n * searches)
    })

    it('does not believe in more rounds than the request allows', () => {
      expect(cost(6_000, 9)).toBe(6_000n * 2_000n + 9n * searches)
    })

    it('holds for the longest prompt of a round', () => {
      const bounds = { model: tiered, maxOutputTokens: 10, n: 1, terms: terms(null, 1) }
      const results = { hosted: [{ kind: 'search', perCallNano: 0n, maxResultTokens: 490 }] } as const
      const hold = (promptTokensUpperBound: number) =>
        holdNano({ ...bounds, promptTokensUpperBound, terms: { ...bounds.terms, ...results } })
      expect(hold(500)).toBe((500n + 1_000n) * 1_000n + 10n * 10_000n)
      expect(hold(501)).toBe((501n + 1_001n) * 2_000n + 10n * 15_000n)
    })
  })

  it.each<[string | null, string | undefined, bigint]>([
    ['priority', 'priority', 1_750_000n],
    ['priority', undefined, 1_750_000n],
    ['priority', 'default', 1_000_000n],
    ['flex', 'flex', 500_000n],
    ['flex', 'default', 1_000_000n],
    [null, 'priority', 1_000_000n],
  ])('prices %s, answered as %s', (asked, serviceTier, nano) => {
    const used = usage(1_000, 0, serviceTier === undefined ? {} : { serviceTier })
    expect(costNano(model, used, terms(asked, 0))).toBe(nano)
  })

  it('prices a fast answer of Anthropic only when it says that it was fast', () => {
    const quick = priced('1', null, '10', { service_tiers: { fast: '2' } })
    const cost = (serviceTier?: string) =>
      costNano(quick, usage(1_000, 0, serviceTier === undefined ? {} : { serviceTier }), terms('fast', 0))
    expect([cost('fast'), cost(), cost('standard')]).toEqual([2_000_000n, 1_000_000n, 1_000_000n])
  })

  it('rounds a part of a pico-dollar up with all of the request', () => {
    const cheap = priced('0.000001', null, '0', { service_tiers: { flex: '0.001' } })
    expect(costNano(cheap, usage(1, 0), { tier: 'flex', hosted: [], maxCalls: 0 })).toBe(1_000n)
  })

  it.each([
    ['of one price', model],
    ['with a price of long prompts', priced('1', '0.1', '10', { hosted_tools, price_tiers: longContext })],
  ])('holds at least what any answer within the limits costs, for a model %s', (_name, model) => {
    const tiers = [null, 'priority', 'flex'] as const
    const cases = fc.record({
      tier: fc.constantFrom(...tiers),
      served: fc.constantFrom('default', 'priority', 'flex', undefined),
      maxCalls: fc.nat(12),
      prompt: fc.nat(200_000),
      output: fc.integer({ min: 1, max: 20_000 }),
      calls: fc.nat(12),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    })
    fc.assert(
      fc.property(cases, ({ tier, served, maxCalls, prompt, output, calls, share }) => {
        const asked = terms(tier, maxCalls)
        const hold = holdNano({ model, promptTokensUpperBound: prompt, maxOutputTokens: output, n: 1, terms: asked })
        const window = model.contextWindow
        const searches = Math.min(calls, maxCalls)
        let read = Math.min(prompt, window)
        for (let round = 1; round <= searches; round += 1) {
          read += Math.min(window, prompt + Math.floor(share * 2_000) * round + Math.floor(share * output))
        }
        const used = usage(read, Math.min(output, model.maxOutputTokens), {
          webSearches: searches,
          ...(served === undefined ? {} : { serviceTier: served }),
        })
        expect(costNano(model, used, asked)).toBeLessThanOrEqual(hold)
        const limits = usageLimits({ model, maxOutputTokens: output, n: 1, terms: asked })
        expect(soundUsage(used, limits)).toMatchObject({ promptTokens: read, completionTokens: used.completionTokens })
      }),
    )
  })

  it('holds no more for a hostile number of calls than for the maximum', () => {
    const holdFor = (maxCalls: number) =>
      holdNano({ model, promptTokensUpperBound: 1, maxOutputTokens: 1, n: 1, terms: terms(null, maxCalls) })
    expect(holdFor(Number.MAX_SAFE_INTEGER)).toBe(holdFor(10_000))
    expect(holdFor(Number.NaN)).toBe(holdFor(10_000))
  })
})
