import {
  answer,
  candidateOf,
  firstTwice,
  lost,
  noAnswer,
  pairsOf,
  samplesOf,
  samplesWith,
  secondTwice,
  tied,
  unjudged,
  unparseable,
  won,
} from './measured-samples.fixture.ts'

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

  it('counts an answer that is missing against the model that gave none', () => {
    const samples = samplesWith([[won], [lost], [won], [unjudged], [unjudged], [unjudged], [unjudged]], (place) => ({
      answers: [
        [answer(), answer()],
        [answer(), noAnswer],
        [answer(), noAnswer],
        [noAnswer, answer()],
        [noAnswer, noAnswer],
      ][Math.max(0, place - 2)]!,
    }))
    expect(candidateOf(samples)).toMatchObject({
      wins: 3,
      losses: 3,
      ties: 0,
      won_by_error: 1,
      lost_by_error: 2,
      samples_judged: 3,
      unjudged: 4,
      errors: 3,
      win_rate: 0.5,
    })
  })

  it('is not better for a candidate that gives no answer where it would lose', () => {
    const pairs = [...pairsOf({ wins: 40, ties: 20, losses: 20 }), ...Array(20).fill(unjudged)]
    const samples = samplesWith(
      pairs.map((pair) => [pair]),
      (place) => (place < 80 ? {} : { answers: [answer(), noAnswer] }),
    )
    expect(candidateOf(samples)).toMatchObject({ wins: 40, losses: 40, lost_by_error: 20, inconclusive: true })
  })

  it.each([
    [{ wins: 5 }, 0.0625],
    [{ wins: 5, ties: 20 }, 0.0625],
    [{ wins: 6, losses: 1 }, 0.125],
  ])('is inconclusive where the sign test is: %j', (counts, p) => {
    const candidate = candidateOf(samplesOf(counts))
    expect(candidate).toMatchObject({ inconclusive: true })
    expect(candidate.p_value).toBeCloseTo(p, 9)
    expect(candidate.win_rate_ci![0]).toBeLessThan(0.5)
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

  it('match the table', () => {
    const candidate = candidateOf(samplesWith(preferences))
    expect(candidate).toMatchObject({
      win_rate: 0.58,
      consistency_rate: 0.76,
      inconsistent: 24,
      ties: 24,
      position_bias: 0.1,
      judge_unreliable: false,
    })
    expect(candidate.position_bias_p).toBeCloseTo(0.063915, 6)
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

describe('the bias of the judge by position', () => {
  const judged = (first: number, second: number, consistent: number) =>
    candidateOf(
      samplesWith([
        ...Array(first).fill([firstTwice]),
        ...Array(second).fill([secondTwice]),
        ...pairsOf({ wins: consistent / 2, losses: consistent / 2 }).map((pair) => [pair]),
      ]),
    )

  it('is reported when it is large and proven', () => {
    // A bias of 0.3 in 500 pairs, though 70 % of them are consistent.
    const biased = judged(150, 0, 350)
    expect(biased).toMatchObject({ judge_biased: true, judge_unreliable: false, position_bias: 0.3 })
    expect(biased.position_bias_p).toBeLessThan(1e-40)
    expect(judged(0, 150, 350).judge_biased).toBe(true)
    expect(judged(40, 6, 454)).toMatchObject({ judge_biased: false })
    expect(judged(4, 0, 16)).toMatchObject({ judge_biased: false, position_bias: 0.2 })
  })
})

describe('the length of answers', () => {
  /** A candidate that wins when it is longer, and is longer in this share of the samples. */
  const sized = (longer: number) =>
    candidateOf(
      samplesWith(
        Array.from({ length: 200 }, (_, place) => [place % 10 < longer === place % 7 > 0 ? won : lost]),
        (place) => ({
          answers: [
            answer({ textLength: 500 }),
            answer({ textLength: place % 10 < longer ? 800 + place : 300 - place }),
          ],
        }),
      ),
    )

  it('is controlled for beside the raw win rate', () => {
    const { win_rate: raw, length_controlled_win_rate: controlled, length_diff: difference } = sized(8)
    expect(raw).toBeGreaterThan(0.68)
    expect(difference).toBeGreaterThan(200)
    expect(controlled).toBeLessThan(raw! - 0.1)
  })

  it('is left out where it is unknown', () => {
    const unknown = samplesWith(Array(30).fill([won]), () => ({ answers: [answer({ textLength: null }), answer()] }))
    expect(candidateOf(unknown)).toMatchObject({ length_diff: null, length_controlled_win_rate: null })
  })
})
