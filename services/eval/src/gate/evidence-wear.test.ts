import { samplesOf } from '../report/measured-samples.fixture.ts'
import { wearOf } from './evidence-wear.ts'
import { type EvidenceInput, weighEvidence } from './weigh-evidence.ts'

function inputOf(more: Partial<EvidenceInput> = {}): EvidenceInput {
  return {
    samples: samplesOf({ wins: 140, losses: 60 }),
    place: 0,
    candidates: 1,
    judgeTrust: 'trustworthy',
    cannotActReason: null,
    plannedSequence: null,
    attempt: 1,
    promptUses: 0,
    ...more,
  }
}

const wear = (more: Partial<EvidenceInput> = {}) => wearOf(inputOf(more))

it('is nothing on fresh prompts', () => {
  const found = wear()
  expect(found).toMatchObject({ used_up: 0, is_exhausted: false })
  expect(found.wear[0]).toEqual({ prompt_uses: 0, win_rate_low: weighEvidence(inputOf()).win_rate_low })
})

it.each([[null], [200]])(
  'uses up more with each comparison, until nothing is left (registered sequence: %s)',
  (planned) => {
    const shares = [0, 0.3, 1, 3, 5, 1_000].map((promptUses) => wear({ promptUses, plannedSequence: planned }).used_up)
    expect(shares).toEqual(shares.toSorted((one, other) => one - other))
    expect(new Set(shares).size).toBe(shares.length)
    expect(shares.at(-1)).toBe(1)
  },
)

it('leaves as much as so many fewer fresh prompts have', () => {
  const input = inputOf({ samples: samplesOf({ wins: 1_400, losses: 600 }), promptUses: 3 })
  const left = 2_000 * (1 - wearOf(input).used_up)
  const fewer = samplesOf({ wins: Math.round(0.7 * left), losses: Math.round(0.3 * left) })
  const low = weighEvidence({ ...input, samples: fewer, promptUses: 0 }).win_rate_low!
  expect(Math.abs(low - weighEvidence(input).win_rate_low!)).toBeLessThan(0.002)
})

it.each([[null], [200]])(
  'says after how many comparisons the same results prove nothing (registered sequence: %s)',
  (planned) => {
    const most = wear({ plannedSequence: planned }).prompt_uses_max!
    expect(most).toBeGreaterThan(0)
    const lowAt = (promptUses: number) => weighEvidence(inputOf({ promptUses, plannedSequence: planned })).win_rate_low
    expect(lowAt(most)).toBeGreaterThanOrEqual(0.5)
    expect(lowAt(most + 1) ?? 0).toBeLessThan(0.5)
    expect(wear({ promptUses: most, plannedSequence: planned }).is_exhausted).toBe(false)
    expect(wear({ promptUses: most + 1, plannedSequence: planned }).is_exhausted).toBe(true)
  },
)

it('is not exhausted when fresh prompts would not prove it either', () => {
  const samples = samplesOf({ wins: 105, losses: 95 })
  expect(wear({ samples, promptUses: 20 })).toMatchObject({ is_exhausted: false, prompt_uses_max: null })
})

it('has the bound of the eval itself among those of other numbers of comparisons, which fall', () => {
  const { wear: curve } = wear({ promptUses: 2.5 })
  expect(curve).toContainEqual({
    prompt_uses: 2.5,
    win_rate_low: weighEvidence(inputOf({ promptUses: 2.5 })).win_rate_low,
  })
  const lows = curve.map(({ win_rate_low: low }) => low ?? 0)
  expect(lows).toEqual(lows.toSorted((one, other) => other - one))
  expect(curve.map(({ prompt_uses: uses }) => uses)).toEqual(
    curve.map(({ prompt_uses: uses }) => uses).toSorted((one, other) => one - other),
  )
  expect(curve.at(-1)).toMatchObject({ win_rate_low: null })
  expect(wear({ promptUses: 1_000 }).wear.at(-1)).toEqual({ prompt_uses: 1_000, win_rate_low: null })
})
