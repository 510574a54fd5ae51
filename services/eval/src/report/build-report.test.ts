import { EvalReport } from '@ratchet/contracts/eval-report'
import { buildReport } from './build-report.ts'
import {
  answer,
  candidateOf,
  lost,
  noAnswer,
  reportInput,
  samplesOf,
  samplesWith,
  tied,
  unjudged,
  unparseable,
  won,
} from './measured-samples.fixture.ts'

function expectInterval(actual: readonly [number, number] | null, [low, high]: readonly [number, number], digits = 6) {
  expect(actual?.[0]).toBeCloseTo(low, digits)
  expect(actual?.[1]).toBeCloseTo(high, digits)
}

describe('the costs', () => {
  const costs = [
    [10_000_000n, 8_000_000n],
    [20_000_000n, 10_000_000n],
    [30_000_000n, 30_000_000n],
    [40_000_000n, 20_000_000n],
  ] as const
  const samples = samplesWith(
    costs.map(() => [won]),
    (place) => ({ answers: costs[place]!.map((costNano) => answer({ costNano })) }),
  )

  it('are summed, and saved as a ratio of sums, in percent', () => {
    const report = buildReport(reportInput(samples))
    const candidate = candidateOf(samples)
    expect(report.baseline.cost_usd).toBe(0.1)
    expect(candidate).toMatchObject({ cost_usd: 0.068, savingsPct: 32, savings_pct: 32 })
    expect(candidate.savings_ci![0]).toBeLessThan(32)
    expect(candidate.savings_ci![1]).toBeGreaterThan(32)
  })

  it('are compared only where both answered', () => {
    const [first, ...rest] = samples
    const failed = { ...first!, answers: [first!.answers[0]!, noAnswer], pairs: [unjudged] }
    const candidate = candidateOf([failed, ...rest])
    expect(candidate.savings_pct).toBeCloseTo(100 * (1 - 60 / 90), 9)
    expect(candidate).toMatchObject({ errors: 1, error_rate: 0.25 })
  })

  it('are bootstrapped by prompt, however often each was repeated', () => {
    const twice = samples.flatMap((sample) => [sample, { ...sample, id: `${sample.id}-again` }])
    expect(candidateOf(twice).savings_ci).toEqual(candidateOf(samples).savings_ci)
  })

  it('give no savings for a free baseline', () => {
    const free = samplesWith([[won], [won]], () => ({ answers: [answer({ costNano: 0n }), answer()] }))
    expect(candidateOf(free)).toMatchObject({ savingsPct: null, savings_pct: null, savings_ci: null })
  })
})

describe('the latencies', () => {
  it('are averages, their ratio, and paired differences with a t interval', () => {
    const gained = [1.2, 2.4, 1.3, 1.3, 0, 1, 1.8, 0.8, 4.6, 1.4]
    const samples = samplesWith(
      gained.map(() => [won]),
      (place) => ({ answers: [answer({ latencyMs: 10 }), answer({ latencyMs: 10 + gained[place]! })] }),
    )
    const candidate = candidateOf(samples)
    expect(candidate.latency_diff_ms).toBeCloseTo(1.58, 9)
    expectInterval(candidate.latency_diff_ci, [0.70011, 2.45989], 4)
    expect(candidate.avg_latency_ms).toBeCloseTo(11.58, 9)
    expect(candidate.avgLatencyMs).toBe(candidate.avg_latency_ms)
    expect(candidate.latency_ratio).toBeCloseTo(1.158, 9)
  })

  it('leave out unknown latencies and failed answers', () => {
    const unknown = answer({ latencyMs: null })
    const failed = answer({ isAnswered: false, latencyMs: 9_000 })
    const samples = samplesWith([[won], [won], [unjudged]], (place) => ({
      answers: [answer({ latencyMs: 100 }), [answer({ latencyMs: 300 }), unknown, failed][place]!],
    }))
    expect(candidateOf(samples)).toMatchObject({
      avg_latency_ms: 300,
      latency_diff_ms: 200,
      latency_diff_ci: null,
      latency_ratio: 3,
      p95_latency_ms: 300,
      p95_latency_ci: null,
    })
  })

  it('have an interval for the p95 from 72 answers on', () => {
    const of = (count: number) =>
      candidateOf(
        samplesWith(Array(count).fill([won]), (place) => ({
          answers: [answer(), answer({ latencyMs: ((place * 7) % count) + 1 })],
        })),
      )
    expect(of(200)).toMatchObject({ p95_latency_ms: 190, p95_latency_ci: [184, 197] })
    expect(of(20)).toMatchObject({ p95_latency_ms: 19, p95_latency_ci: null })
    expect(of(71).p95_latency_ci).toBeNull()
  })
})

describe('the agent runs', () => {
  const steps = [
    ['whole', won],
    ['whole', tied],
    ['lossy', won],
    ['lossy', lost],
    ['torn', won],
    ['torn', unparseable],
    [null, lost],
  ] as const

  it('count when every step has a verdict, and are clean without a lost step', () => {
    const samples = samplesWith(
      steps.map(([, pair]) => [pair]),
      (place) => ({ traceId: steps[place]![0] }),
    )
    expect(candidateOf(samples)).toMatchObject({ runs_total: 2, runs_clean: 1 })
    const failed = { ...samples[0]!, id: 'failed', answers: [], pairs: [] }
    expect(candidateOf([...samples, failed])).toMatchObject({ runs_total: 1, runs_clean: 0 })
  })
})

describe('the assertions', () => {
  it('are counted by name over the given answers of every model', () => {
    const searched = (holds: boolean) => answer({ assertions: { 'tool_called:search': holds } })
    const samples = samplesWith([[won], [won], [unjudged]], (place) => ({
      answers: [searched(false), [searched(true), searched(false), noAnswer][place]!],
    }))
    expect(candidateOf(samples).assertions).toEqual({ 'tool_called:search': { passed: 1, total: 2, pass_rate: 0.5 } })
    const silent = samplesWith([[unjudged]], () => ({ answers: [searched(true), noAnswer] }))
    expect(candidateOf(silent).assertions).toEqual({ 'tool_called:search': { passed: 0, total: 0, pass_rate: null } })
  })
})

describe('several candidates', () => {
  const models = ['a/one', 'b/two', 'c/three']

  it('are adjusted for multiplicity, except those without a verdict', () => {
    const pairs = Array.from({ length: 12 }, (_, place) => [won, place < 10 ? won : lost, unjudged])
    const {
      candidates,
      multiplicity,
      samples_judged: judged,
    } = buildReport(reportInput(samplesWith(pairs), { candidateModels: models }))
    expect(multiplicity).toBe('holm')
    expect(judged).toBe(0)
    const [one, two, three] = models.map((model) => candidates[model]!)
    expect(one!.sign_test_p_holm).toBeCloseTo(2 * one!.sign_test_p!, 12)
    expect(one!.p_value).toBeGreaterThanOrEqual(one!.sign_test_p_holm!)
    expect(two!.sign_test_p_holm).toBe(two!.sign_test_p)
    expect(three).toMatchObject({ sign_test_p: null, sign_test_p_holm: null, win_rate: null, inconclusive: true })
  })

  it('have intervals and words that agree with the adjusted p-values', () => {
    // Alone each of the three would be proven: 27 of 40 decided samples have p = 0.038.
    const pairs = Array.from({ length: 40 }, (_, place) => models.map(() => (place < 27 ? won : lost)))
    const alone = buildReport(reportInput(samplesWith(pairs.map(([pair]) => [pair!]))))
    expect(alone.candidates['openai/gpt-5-mini']).toMatchObject({ inconclusive: false })
    const { candidates } = buildReport(reportInput(samplesWith(pairs), { candidateModels: models }))
    for (const { p_value: p, sign_test_p_holm: holm, win_rate_ci: ci, inconclusive } of Object.values(candidates)) {
      expect([p! > 0.05, holm! > 0.05, inconclusive, ci![0] < 0.5]).toEqual([true, true, true, true])
    }
  })

  it('are each compared with the baseline', () => {
    const { candidates } = buildReport(
      reportInput(
        samplesWith([[won, lost, tied]], () => ({
          answers: [100n, 50n, 200n, 100n].map((costNano) => answer({ costNano: costNano * 1_000_000n })),
        })),
        { candidateModels: models },
      ),
    )
    expect(models.map((model) => candidates[model]!.savings_pct)).toEqual([50, -100, 0])
    expect(models.map((model) => candidates[model]!.win_rate)).toEqual([1, 0, 0.5])
  })
})

describe('the report', () => {
  it('counts failed samples, and those judged for every candidate', () => {
    const samples = [
      ...samplesWith([
        [won, won],
        [lost, unparseable],
      ]),
      ...samplesWith([[]], () => ({ id: 'failed', answers: [], pairs: [] })),
    ]
    const report = buildReport(reportInput(samples, { candidateModels: ['a', 'b'] }))
    expect(report).toMatchObject({ samples_total: 3, samples_judged: 1, samples_failed: 1 })
    expect(report.baseline).toMatchObject({ model: 'openai/gpt-5', errors: 0, error_rate: 0 })
  })

  it.each([
    [0, 0.5],
    [3, 0.5],
    [4, 0.489991],
    [100, 0.097998],
    [500, 0.043826],
  ])('of %i judged samples can prove a win rate that differs by %d from 0.5', (judged, provable) => {
    expect(buildReport(reportInput(samplesOf({ wins: judged }))).smallest_provable).toBeCloseTo(provable, 6)
  })

  it('matches the contract for an eval without samples', () => {
    const report = buildReport(reportInput([]))
    expect(EvalReport.parse(report)).toEqual(report)
    expect(report).toMatchObject({ samples_total: 0, samples_judged: 0, samples_failed: 0, multiplicity: null })
    expect(report.candidates['openai/gpt-5-mini']).toEqual({
      difference: null,
      segments: null,
      panel: null,
      winRate: null,
      savingsPct: null,
      avgLatencyMs: null,
      win_rate: null,
      win_rate_ci: null,
      wins: 0,
      losses: 0,
      ties: 0,
      fixed_size_figures: [],
      won_by_error: 0,
      lost_by_error: 0,
      inconsistent: 0,
      samples_judged: 0,
      unparseable: 0,
      unjudged: 0,
      consistency_rate: null,
      judge_unreliable: false,
      position_bias: null,
      position_bias_p: null,
      judge_biased: false,
      length_diff: null,
      length_controlled_win_rate: null,
      length_controlled_ci: null,
      sign_test_p: null,
      sign_test_p_holm: null,
      p_value: null,
      inconclusive: true,
      samples_needed: null,
      savings_pct: null,
      savings_ci: null,
      latency_diff_ms: null,
      latency_diff_ci: null,
      latency_ratio: null,
      avg_latency_ms: null,
      p95_latency_ms: null,
      p95_latency_ci: null,
      cost_usd: 0,
      errors: 0,
      error_rate: null,
      assertions: {},
      runs_total: 0,
      runs_clean: 0,
    })
  })
})
