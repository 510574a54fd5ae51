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
  const input = { place: 0, candidates: 1, judgeTrust: 'trustworthy', attempt: 1, promptUses: 0 } as const
  return weighEvidence({ samples, cannotActReason: null, plannedSequence: null, ...input, ...more })
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

  it('is no evidence with a judge that could not act, and says why', () => {
    expect(weigh(sound, { cannotActReason: 'e-value' })).toMatchObject({
      problems: ['judge_cannot_act'],
      judge_cannot_act_reason: 'e-value',
    })
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

  describe('that may stop early', () => {
    const plannedSequence = 500
    const skipped = (sample: MeasuredSample) => ({ ...sample, isFinished: false, answers: [], pairs: [] })
    const stopped = (wins: number) => {
      const samples = samplesOf({ wins, ties: 500 - wins })
      return samples.map((sample, place) => (place < wins ? sample : skipped(sample)))
    }

    it('counts by its sequence, in which samples that were not needed are no losses', () => {
      const found = weigh(stopped(60), { plannedSequence })
      expect(found).toMatchObject({ problems: [], samples_judged: 60 })
      expect(found.win_rate_low).toBeGreaterThan(0.5)
      expect(weigh(stopped(60)).win_rate_low).toBeLessThan(0.2)
      const better = samplesOf({ wins: 60, losses: 40 })
      expect(weigh(better, { plannedSequence }).win_rate_low).toBeLessThan(weigh(better).win_rate_low!)
    })

    it('needs 50 prompts, and counts none after the first sample that was not needed', () => {
      expect(weigh(stopped(49), { plannedSequence }).problems).toEqual(['too_few_samples'])
      const gap = samplesOf({ wins: 200 }).map((sample, place) => (place === 49 ? skipped(sample) : sample))
      expect(weigh(gap, { plannedSequence })).toMatchObject({ problems: ['too_few_samples'], samples_judged: 49 })
    })

    it('loses finished samples without a result, as a fixed number of samples does', () => {
      const failed = stopped(200).map((sample, place) =>
        place % 2 === 0 && place < 200 ? { ...sample, pairs: [] } : sample,
      )
      const lost = samplesWith(
        failed
          .filter(({ isFinished }) => isFinished)
          .map((_, place) => [pairsOf(place % 2 === 0 ? { losses: 1 } : { wins: 1 })[0]!]),
      )
      expect(weigh(failed, { plannedSequence }).win_rate_low).toBe(weigh(lost, { plannedSequence }).win_rate_low)
    })

    it('proves less with every attempt and use of its prompts', () => {
      const low = (more: Partial<EvidenceInput>) => weigh(stopped(120), { plannedSequence, ...more }).win_rate_low
      for (const lows of [
        [1, 2, 10].map((attempt) => low({ attempt })),
        [0, 0.2, 1, 5].map((promptUses) => low({ promptUses })),
      ]) {
        expect(lows).toEqual(lows.toSorted((one, other) => (other ?? 0) - (one ?? 0)))
        expect(new Set(lows).size).toBe(lows.length)
      }
      expect(low({ promptUses: 1_000 })).toBeNull()
    })
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
