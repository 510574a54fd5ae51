import { EvalReport } from '@ratchet/contracts/eval-report'
import { orderSwapSummary } from '@ratchet/stats/order-swap-summary'
import type { MeasuredSample } from '../samples/measured-sample.ts'
import { buildReport } from './build-report.ts'
import {
  answer,
  firstTwice,
  lost,
  noAnswer,
  pairsOf,
  reportInput,
  samplesWith,
  secondTwice,
  tied,
  unjudged,
  unparseable,
  won,
} from './measured-samples.fixture.ts'

/** The report of the only candidate. */
function candidateOf(samples: readonly MeasuredSample[]) {
  return buildReport(reportInput(samples)).candidates['openai/gpt-5-mini']!
}

function samplesOf(counts: Parameters<typeof pairsOf>[0]): readonly MeasuredSample[] {
  return samplesWith(pairsOf(counts).map((pair) => [pair]))
}

function expectInterval(actual: readonly [number, number] | null, [low, high]: readonly [number, number], digits = 6) {
  expect(actual?.[0]).toBeCloseTo(low, digits)
  expect(actual?.[1]).toBeCloseTo(high, digits)
}

describe('the win rate', () => {
  it.each([
    [30, 50, 20, 0.55, 0.481105, 0.617029, 0.202639, true, 385],
    [45, 30, 25, 0.6, 0.518802, 0.676052, 0.022463, false, null],
    [60, 10, 30, 0.65, 0.558171, 0.73191, 0.00206, false, null],
    [12, 5, 3, 0.725, 0.544145, 0.85343, 0.035156, false, null],
    [55, 0, 45, 0.55, 0.452446, 0.643855, 0.368202, true, 385],
    [10, 0, 0, 1, 0.722467, 1, 0.001953, false, null],
    [0, 20, 0, 0.5, 0.299298, 0.700702, 1, true, null],
  ])('is as tabled for %i wins, %i ties, %i losses', (wins, ties, losses, rate, low, high, p, inconclusive, needed) => {
    const candidate = candidateOf(samplesOf({ wins, ties, losses }))
    expect(candidate).toMatchObject({ winRate: rate, win_rate: rate, wins, ties, losses, inconclusive })
    expect(candidate.samples_needed).toBe(needed)
    expect(candidate.samples_judged).toBe(wins + ties + losses)
    expect(candidate.sign_test_p).toBeCloseTo(p, 6)
    expect(candidate.sign_test_p_holm).toBe(candidate.sign_test_p)
    expectInterval(candidate.win_rate_ci, [low, high])
  })

  it('does not count pairs without a verdict', () => {
    const candidate = candidateOf(samplesWith([[won], [won], [lost], [unparseable], [unjudged], [unjudged]]))
    expect(candidate).toMatchObject({ samples_judged: 3, wins: 2, losses: 1, ties: 0, unparseable: 1, unjudged: 2 })
    expect(candidate.win_rate).toBeCloseTo(2 / 3, 12)
  })

  it('treats the steps of one agent run as one cluster', () => {
    const runs = [
      [won, won, won],
      [won, lost],
      [lost, lost, lost, lost],
      [won, won],
      [won, won, won, lost],
    ]
    const steps = runs.flatMap((pairs, run) => pairs.map((pair) => ({ pair, cluster: `run-${run}` })))
    const samples = samplesWith(
      steps.map(({ pair }) => [pair]),
      (place) => ({ cluster: steps[place]!.cluster }),
    )
    const candidate = candidateOf(samples)
    // Effective sample size from the cluster-robust standard error 0.191369.
    expect(candidate.win_rate).toBeCloseTo(0.6, 12)
    expectInterval(candidate.win_rate_ci, [0.1578699, 0.9230902], 4)
    // Three runs are won, one is lost, one is a draw.
    expect(candidate.sign_test_p).toBeCloseTo(0.625, 12)
    // 97 independent samples are needed; these 15 in five runs are worth 2.6126 independent ones.
    expect(candidate.samples_needed).toBe(557)
  })

  it('never needs fewer clustered samples than were judged', () => {
    const samples = samplesWith(
      Array.from({ length: 200 }, (_, place) => [Math.floor(place / 20) < 6 ? won : lost]),
      (place) => ({ cluster: `run-${Math.floor(place / 20)}` }),
    )
    const candidate = candidateOf(samples)
    expect(candidate).toMatchObject({ win_rate: 0.6, inconclusive: true })
    // Ten clusters that are all alike inside, and Student's t with 9 degrees of freedom.
    expect(candidate.samples_needed).toBeCloseTo(97 * 20 * (10 / 9) * (2.262157 / 1.959964) ** 2, -1)
  })
})

describe('the order effects', () => {
  const preferences = [
    ...Array(46).fill([won]),
    ...Array(30).fill([lost]),
    ...Array(17).fill([firstTwice]),
    ...Array(7).fill([secondTwice]),
  ]

  it('match the table and orderSwapSummary', () => {
    const candidate = candidateOf(samplesWith(preferences))
    const summary = orderSwapSummary({ bothA: 46, bothB: 30, firstBoth: 17, secondBoth: 7 })!
    expect(candidate).toMatchObject({
      win_rate: 0.58,
      consistency_rate: 0.76,
      inconsistent: 24,
      ties: 24,
      position_bias: 0.1,
      judge_unreliable: false,
    })
    expect(candidate.position_bias_p).toBeCloseTo(0.063915, 6)
    expect(summary).toMatchObject({ winRate: 0.58, consistency: 0.76, positionBias: 0.1 })
    expect(summary.positionBiasP).toBe(candidate.position_bias_p)
  })

  it('count a tie in both orders as consistent, and a tie in one order as inconsistent without position bias', () => {
    const half = { kind: 'judged', preferences: ['tie', 'first'] } as const
    expect(candidateOf(samplesWith([[tied], [tied], [tied], [half]]))).toMatchObject({
      ties: 4,
      inconsistent: 1,
      consistency_rate: 0.75,
      position_bias: 0,
      position_bias_p: 1,
    })
  })

  it('make a judge unreliable below 60 %', () => {
    const judged = (consistent: number) =>
      samplesWith([...Array(consistent).fill([won]), ...Array(100 - consistent).fill([firstTwice])])
    expect(candidateOf(judged(60)).judge_unreliable).toBe(false)
    expect(candidateOf(judged(59)).judge_unreliable).toBe(true)
  })
})

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
    expect(two!.sign_test_p_holm).toBe(two!.sign_test_p)
    expect(three).toMatchObject({ sign_test_p: null, sign_test_p_holm: null, win_rate: null, inconclusive: true })
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
      inconsistent: 0,
      samples_judged: 0,
      unparseable: 0,
      unjudged: 0,
      consistency_rate: null,
      judge_unreliable: false,
      position_bias: null,
      position_bias_p: null,
      sign_test_p: null,
      sign_test_p_holm: null,
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
