import { buildReport } from './build-report.ts'
import { differenceOf, finishedPrefix, isConclusive, scoreOf } from './difference-of.ts'
import { interimReport } from './interim-report.ts'
import {
  answer,
  candidateOf,
  lost,
  noAnswer,
  pairsOf,
  reportInput,
  samplesWith,
  tied,
  unjudged,
  won,
} from './measured-samples.fixture.ts'
import { asked } from './simulated-eval.fixture.ts'

const samplesOf = (counts: Parameters<typeof pairsOf>[0]) => samplesWith(pairsOf(counts).map((pair) => [pair]))

describe('the difference of a candidate', () => {
  it('is wins minus losses with a score interval, and answers the question', () => {
    const samples = samplesOf({ wins: 30, ties: 50, losses: 20 })
    expect(differenceOf(samples, 0, asked())).toMatchObject({
      value: expect.closeTo(0.1, 12),
      method: 'score_interval',
      samples: 100,
      verdict: 'inconclusive',
    })
    expect(differenceOf(samples, 0, asked({ question: 'not_worse', margin: 0.05 }))?.verdict).toBe('not_worse')
    expect(differenceOf(samplesOf({ losses: 30 }), 0, asked())?.verdict).toBe('worse')
    expect(differenceOf(samplesOf({ wins: 30 }), 0, asked())?.verdict).toBe('better')
  })

  it.each([
    [{ wins: 15, losses: 6 }],
    [{ losses: 15, wins: 6 }],
    [{ wins: 5, ties: 15 }],
    [{ wins: 15, losses: 5, ties: 5 }],
  ])('agrees with the win rate and its p-value for %j', (counts) => {
    const { difference, inconclusive, p_value: p } = candidateOf(samplesOf(counts))
    const [low, high] = difference?.ci ?? [0, 0]
    expect([difference?.verdict === 'inconclusive', low <= 0 && high >= 0]).toEqual([inconclusive, inconclusive])
    expect(inconclusive).toBe((p ?? 0) > 0.05)
  })

  it('agrees with a win rate that is corrected for several candidates', () => {
    const pairs = pairsOf({ wins: 61, losses: 39 })
    const samples = samplesWith(pairs.map((pair) => [pair, pair]))
    const { candidates } = buildReport(reportInput(samples, { candidateModels: ['a/one', 'b/two'] }))
    const verdicts = Object.values(candidates).map(({ difference, inconclusive }) => [
      difference?.verdict,
      inconclusive,
    ])
    expect(verdicts).toEqual(Array(2).fill(['inconclusive', true]))
  })

  it('counts a missing answer as a loss, so that a candidate cannot gain by failing where it would lose', () => {
    const failing = samplesWith(
      [...pairsOf({ wins: 40, ties: 40 }).map((pair) => [pair]), ...Array.from({ length: 20 }, () => [unjudged])],
      (place) => (place < 80 ? {} : { answers: [answer(), noAnswer] }),
    )
    expect(differenceOf(failing, 0, asked())).toMatchObject({ value: expect.closeTo(0.2, 12), samples: 100 })
  })

  it('counts a missing answer of the baseline as a win', () => {
    const [sample] = samplesWith([[unjudged]])
    expect(scoreOf({ ...sample!, answers: [noAnswer, answer()] }, 0)).toBe(1)
  })

  it('does not count samples without both answers or without a verdict', () => {
    const [sample] = samplesWith([[won]])
    expect(scoreOf({ ...sample!, answers: [noAnswer, noAnswer], pairs: [unjudged] }, 0)).toBeNull()
    expect(scoreOf({ ...sample!, pairs: [unjudged] }, 0)).toBeNull()
    expect(scoreOf({ ...sample!, pairs: [] }, 0)).toBeNull()
    expect([won, tied, lost].map((pair) => scoreOf({ ...sample!, pairs: [pair] }, 0))).toEqual([1, 0, -1])
  })

  it('is wider for samples in clusters', () => {
    const pairs = Array.from({ length: 100 }, (_, place) => [place % 20 < 12 ? won : lost])
    const apart = differenceOf(samplesWith(pairs), 0, asked())!
    const together = differenceOf(
      samplesWith(pairs, (place) => ({ cluster: `run-${place % 20}` })),
      0,
      asked(),
    )!
    expect(together.value).toBeCloseTo(apart.value, 12)
    expect(together.ci[1] - together.ci[0]).toBeGreaterThan(1.8 * (apart.ci[1] - apart.ci[0]))
  })

  it('has no verdict below 20 samples', () => {
    expect(differenceOf(samplesOf({ wins: 19 }), 0, asked())?.verdict).toBe('inconclusive')
    expect(differenceOf([], 0, asked())).toBeNull()
  })
})

describe('a sequential eval', () => {
  const sequential = asked({ isSequential: true })

  it('counts samples up to the first unfinished one in the order of the draw', () => {
    const samples = samplesOf({ wins: 80 }).map((sample, place) => ({ ...sample, isFinished: place !== 60 }))
    expect(finishedPrefix(samples)).toHaveLength(60)
    expect(differenceOf(samples, 0, sequential)?.samples).toBe(60)
    expect(isConclusive(samples, sequential)).toBe(true)
  })

  it('is not conclusive below 50 prompts, or while one candidate is open', () => {
    expect(isConclusive(samplesOf({ wins: 49 }), sequential)).toBe(false)
    const two = samplesWith(Array.from({ length: 100 }, () => [won, tied]))
    expect(isConclusive(two, asked({ isSequential: true, candidates: 2 }))).toBe(false)
  })

  it('reports its win rate with the interval of the sequence, and no sign test', () => {
    const samples = samplesOf({ wins: 60, ties: 20, losses: 20 })
    const fixed = buildReport(reportInput(samples)).candidates['openai/gpt-5-mini']!
    const found = buildReport(reportInput(samples, { asked: sequential, skipped: 400 }))
    const report = found.candidates['openai/gpt-5-mini']!
    expect(report.win_rate).toBeCloseTo(0.7, 12)
    expect(report.win_rate_ci![0]).toBeLessThan(fixed.win_rate_ci![0])
    expect(report).toMatchObject({ sign_test_p: null, inconclusive: false, difference: { verdict: 'better' } })
    expect(found.samples_skipped).toBe(400)
  })

  it('is reported while it runs, for every candidate', () => {
    const samples = samplesOf({ wins: 60 })
    expect(interimReport(samples, { asked: asked(), candidateModels: ['a'] })).toMatchObject({
      samples: 60,
      candidates: { a: { method: 'confidence_sequence', verdict: 'better' } },
    })
  })
})
