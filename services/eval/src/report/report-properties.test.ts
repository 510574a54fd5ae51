import { EvalReport } from '@ratchet/contracts/eval-report'
import { randomFromSeed } from '@ratchet/stats/random-from-seed'
import fc from 'fast-check'
import type { JudgedPair, Preference } from '../judging/pair-verdict.ts'
import type { MeasuredSample } from '../samples/measured-sample.ts'
import { buildReport } from './build-report.ts'
import { answer, lost, reportInput, samplesWith, tied, won } from './measured-samples.fixture.ts'
import { latencyDifferenceOf } from './model-figures.ts'
import { pairSamples } from './paired-sample.ts'
import { winRatesOf } from './win-rate-of.ts'

const models = ['a/one', 'b/two']
const preference = fc.constantFrom<Preference>('first', 'second', 'tie')
const pair: fc.Arbitrary<JudgedPair> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(preference, preference).map((preferences) => ({ kind: 'judged' as const, preferences })),
  },
  { weight: 1, arbitrary: fc.constantFrom<JudgedPair>({ kind: 'unparseable' }, { kind: 'unjudged' }) },
)
const measuredAnswer = fc.record({
  isAnswered: fc.boolean(),
  costNano: fc.bigInt({ min: 0n, max: 10n ** 10n }),
  textLength: fc.option(fc.nat(5_000)),
  latencyMs: fc.option(fc.oneof(fc.constant(0), fc.double({ min: 0.001, max: 1e5, noNaN: true }))),
  assertions: fc.dictionary(fc.constantFrom('no_tool_call', 'tool_called:search'), fc.boolean()),
})
const sample = fc.oneof(
  { weight: 9, arbitrary: tried() },
  { weight: 1, arbitrary: fc.constant({ answers: [], pairs: [] }) },
)
const samples = fc
  .array(fc.record({ what: sample, cluster: fc.nat(12), traceId: fc.option(fc.constantFrom('run-1', 'run-2')) }), {
    maxLength: 40,
  })
  .map((rows) =>
    rows.map(
      ({ what, cluster, traceId }, place): MeasuredSample => ({
        id: `sample-${place}`,
        cluster: `prompt-${cluster}`,
        traceId,
        segment: null,
        isFinished: true,
        ...what,
      }),
    ),
  )

function tried() {
  return fc.record({
    answers: fc.array(measuredAnswer, { minLength: 3, maxLength: 3 }),
    pairs: fc.array(pair, { minLength: 2, maxLength: 2 }),
  })
}

/** The same sample with baseline and candidate exchanged. */
function swapModels({ answers, pairs, ...rest }: MeasuredSample): MeasuredSample {
  const swapped = pairs.map(
    (own): JudgedPair =>
      own.kind === 'judged' ? { kind: 'judged', preferences: [own.preferences[1], own.preferences[0]] } : own,
  )
  return { ...rest, answers: answers.slice(0, 2).toReversed(), pairs: swapped.slice(0, 1) }
}

describe('a report', () => {
  it('matches the contract, and its counts add up', () => {
    fc.assert(
      fc.property(samples, (drawn) => {
        const report = buildReport(reportInput(drawn, { candidateModels: models }))
        expect(EvalReport.parse(report)).toEqual(report)
        for (const candidate of Object.values(report.candidates)) {
          const { wins, losses, ties, samples_judged: judged, unparseable, unjudged } = candidate
          const { won_by_error: won, lost_by_error: lost } = candidate
          expect(wins + losses + ties).toBe(judged + won + lost)
          expect(judged + unparseable + unjudged).toBe(report.samples_total - report.samples_failed)
          expect(candidate.inconsistent).toBeLessThanOrEqual(ties)
          expect(candidate.winRate).toBe(candidate.win_rate)
          expect(candidate.savingsPct).toBe(candidate.savings_pct)
          expect(candidate.avgLatencyMs).toBe(candidate.avg_latency_ms)
          expect(candidate.runs_clean).toBeLessThanOrEqual(candidate.runs_total)
          expect(candidate.sign_test_p_holm ?? 1).toBeGreaterThanOrEqual(candidate.sign_test_p ?? 0)
          expect(report.samples_judged).toBeLessThanOrEqual(judged)
        }
      }),
      { numRuns: 50 },
    )
  })

  it('is the same for the same samples in any order', () => {
    const shuffled = samples.chain((drawn) =>
      fc.tuple(fc.constant(drawn), fc.shuffledSubarray(drawn, { minLength: drawn.length })),
    )
    fc.assert(
      fc.property(shuffled, ([drawn, otherwise]) => {
        const of = (rows: readonly MeasuredSample[]) => buildReport(reportInput(rows, { candidateModels: models }))
        expect(of(otherwise)).toEqual(of(drawn))
      }),
      { numRuns: 30 },
    )
  })

  it('is mirrored when the models change places', () => {
    fc.assert(
      fc.property(samples, (drawn) => {
        const alone = drawn.map(({ answers, pairs, ...rest }) => ({
          ...rest,
          answers: answers.slice(0, 2),
          pairs: pairs.slice(0, 1),
        }))
        const one = buildReport(reportInput(alone, { baselineModel: 'a/one', candidateModels: ['b/two'] }))
        const other = buildReport(
          reportInput(alone.map(swapModels), { baselineModel: 'b/two', candidateModels: ['a/one'] }),
        )
        const [y, x] = [one.candidates['b/two']!, other.candidates['a/one']!]
        expect([x.wins, x.ties, x.losses]).toEqual([y.losses, y.ties, y.wins])
        expect(x.consistency_rate).toBe(y.consistency_rate)
        expect(x.position_bias).toBe(y.position_bias)
        expect(x.sign_test_p).toBe(y.sign_test_p)
        expect(x.inconclusive).toBe(y.inconclusive)
        expect(x.win_rate ?? 0).toBeCloseTo(1 - (y.win_rate ?? 1), 12)
        expect(x.win_rate_ci?.[0] ?? 0).toBeCloseTo(1 - (y.win_rate_ci?.[1] ?? 1), 9)
        expect(x.latency_diff_ms ?? 0).toBeCloseTo(-(y.latency_diff_ms ?? 0), 6)
        expect(other.baseline.cost_usd).toBe(y.cost_usd)
      }),
      { numRuns: 50 },
    )
  })
})

describe('95 % intervals contain the true value in at least 93 % of seeded evals', () => {
  /** 60 prompts, each with its own chance to win, repeated this many times. */
  function drawEval(random: () => number, { chances, repetitions }: (typeof simulated)[number]) {
    const rows = Array.from({ length: 60 }, (_, prompt) => {
      const [win, tie] = chances[Math.floor(random() * chances.length)]!
      const slowness = 100 * random()
      return Array.from({ length: repetitions }, () => {
        const unit = random()
        const pair = unit < win ? won : unit < win + tie ? tied : lost
        return { cluster: `prompt-${prompt}`, pair, latencyMs: 200 + slowness + 100 * random() }
      })
    }).flat()
    return samplesWith(
      rows.map(({ pair }) => [pair]),
      (place) => {
        const { cluster, latencyMs } = rows[place]!
        return { cluster, answers: [answer({ latencyMs: 200 }), answer({ latencyMs })] }
      },
    )
  }

  const simulated = [
    { chances: [[0.5, 0.2]], repetitions: 1, truth: 0.6 },
    { chances: [[0.1, 0.7]], repetitions: 1, truth: 0.45 },
    {
      chances: [
        [0.1, 0.1],
        [0.9, 0.1],
      ],
      repetitions: 3,
      truth: 0.55,
    },
  ] as const

  it.each(simulated)('for a win rate of $truth, $repetitions times a prompt', (scene) => {
    const random = randomFromSeed('reports')
    const evals = 1000
    const held = { winRate: 0, latency: 0 }
    for (let run = 0; run < evals; run += 1) {
      const drawn = pairSamples(drawEval(random, scene), 0)
      held.winRate += holds(winRatesOf([drawn])[0]?.win_rate_ci ?? null, scene.truth)
      held.latency += holds(latencyDifferenceOf(drawn).latency_diff_ci, 100)
    }
    expect(held.winRate / evals).toBeGreaterThanOrEqual(0.93)
    expect(held.latency / evals).toBeGreaterThanOrEqual(0.93)
  })

  function holds(interval: readonly [number, number] | null, truth: number): number {
    return interval !== null && interval[0] <= truth && truth <= interval[1] ? 1 : 0
  }
})
