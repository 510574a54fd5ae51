import {
  answer,
  firstTwice,
  noAnswer,
  pairsOf,
  samplesOf,
  samplesWith,
  secondTwice,
  unjudged,
  unparseable,
} from '../report/measured-samples.fixture.ts'
import type { MeasuredSample } from '../samples/measured-sample.ts'
import { type EvidenceInput, weighEvidence } from './weigh-evidence.ts'

function weigh(samples: readonly MeasuredSample[], more: Partial<EvidenceInput> = {}) {
<<<<<<< ours
  const input = { place: 0, candidates: 1, judgeTrust: 'trustworthy', attempt: 1, promptUses: 0 } as const
=======
  const input = {
    place: 0,
    candidates: 1,
    judgeTrust: 'trustworthy',
    canJudgeAct: true,
    attempt: 1,
    promptUses: 0,
  } as const
>>>>>>> theirs
  return weighEvidence({ samples, ...input, ...more })
}

const sound = samplesOf({ wins: 70, losses: 30 })

describe('an eval', () => {
  it('proves a better candidate', () => {
    const found = weigh(sound)
    expect(found).toMatchObject({ problems: [], level: 0.0125, samples_judged: 100, prompt_uses: 0 })
    expect(found.win_rate_low).toBeGreaterThan(0.5)
    expect(found.win_rate_low_if_fresh).toBe(found.win_rate_low)
  })

  it.each([
    [null, ['judge_unmeasured']],
    ['unmeasured', ['judge_unmeasured']],
    ['under-measured', ['judge_untrusted']],
    ['borderline', ['judge_untrusted']],
    ['misaligned', ['judge_untrusted']],
  ] as const)('is no evidence with a judge that is %s', (judgeTrust, problems) => {
    expect(weigh(sound, { judgeTrust }).problems).toEqual(problems)
  })

  it('is no evidence with a judge that always names the first, or often the second', () => {
    const always = samplesWith(Array(500).fill([firstTwice]))
    expect(weigh(always).problems).toEqual(['judge_unreliable', 'judge_biased'])
    const often = samplesWith([...Array(30).fill([secondTwice]), ...pairsOf({ wins: 100 }).map((pair) => [pair])])
    expect(weigh(often).problems).toEqual(['judge_biased'])
  })

  it('needs 30 prompts with a verdict, however often each is repeated', () => {
    expect(weigh(samplesOf({ wins: 29 })).problems).toEqual(['too_few_samples'])
    expect(weigh(samplesOf({ wins: 30 })).problems).toEqual([])
    const repeated = sound.map((sample, place) => ({ ...sample, cluster: `prompt-${place % 29}` }))
    expect(weigh(repeated).problems).toEqual(['too_few_samples'])
    const unread = samplesWith([...Array(100).fill([unparseable]), ...Array(29).fill([firstTwice])])
    expect(weigh(unread).problems).toContain('too_few_samples')
  })

  it('loses the samples that have no result', () => {
    const full = weigh(samplesOf({ wins: 60, losses: 40 })).win_rate_low
    const missing: readonly Partial<MeasuredSample>[] = [
      { pairs: [unjudged], answers: [answer(), noAnswer] },
      { pairs: [unparseable] },
      { pairs: [unjudged], answers: [noAnswer, noAnswer] },
      { pairs: [], answers: [] },
    ]
    for (const change of missing) {
      const samples = samplesWith(
        [...pairsOf({ wins: 60 }), ...Array(40).fill(unjudged)].map((pair) => [pair]),
        (place) => (place < 60 ? {} : change),
      )
      expect(weigh(samples).win_rate_low).toBe(full)
    }
  })

  it('does not count inconsistent pairs towards a bound below 0.5', () => {
    const pairs = [...Array(20).fill(firstTwice), ...Array(20).fill(secondTwice), ...pairsOf({ wins: 80, losses: 80 })]
    const low = weigh(samplesWith(pairs.map((pair) => [pair]))).win_rate_low
    expect(low).toBe(weigh(samplesOf({ wins: 80, losses: 80 })).win_rate_low)
  })

  it('proves less with every attempt, candidate and use of its prompts', () => {
    const lows = (more: readonly Partial<EvidenceInput>[]) => more.map((each) => weigh(sound, each).win_rate_low ?? 0)
    for (const found of [
      lows([1, 2, 3, 10, 1_000].map((attempt) => ({ attempt }))),
      lows([1, 2, 3].map((candidates) => ({ candidates }))),
      lows([0, 0.2, 1, 5, 20, 1_000].map((promptUses) => ({ promptUses }))),
    ]) {
      expect(found).toEqual(found.toSorted((one, other) => other - one))
      expect(new Set(found).size).toBe(found.length)
    }
    expect(weigh(sound, { promptUses: 1_000 })).toMatchObject({ win_rate_low: null })
    expect(weigh(sound, { promptUses: 1_000 }).win_rate_low_if_fresh).toBeGreaterThan(0.5)
  })

  it('has shares of the error rate that sum up to at most 2.5 %', () => {
    const levels = Array.from({ length: 2_000 }, (_, index) => weigh([], { attempt: index + 1 }).level)
    const total = levels.reduce((sum, level) => sum + level, 0)
    expect(total).toBeLessThanOrEqual(0.025)
    expect(total).toBeGreaterThan(0.0249)
  })

  it('says how many fresh prompts would prove the measured win rate', () => {
    const { prompts_needed: needed } = weigh(sound)
    const again = samplesOf({ wins: Math.round(0.7 * needed!), losses: Math.round(0.3 * needed!) })
    expect(weigh(again, { attempt: 2 }).win_rate_low).toBeCloseTo(0.5, 1)
    expect(weigh(samplesOf({ wins: 40, losses: 60 })).prompts_needed).toBeNull()
  })

  it('without samples proves nothing', () => {
    expect(weigh([])).toMatchObject({ problems: ['too_few_samples'], win_rate_low: null, prompts_needed: null })
  })
})
