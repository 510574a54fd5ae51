import type { EvalPreference } from '@ratchet/contracts/eval-preferences'
import { agreementOf, candidateSide, preferenceOf } from './blind.ts'

const ids = Array.from({ length: 400 }, (_, index) => `sample_${index.toString(16).padStart(32, '0')}`)

it('shows the candidate on both sides equally often, and always on the same side of a sample', () => {
  const [sides, others] = ['a/b', 'c/d'].map((candidate) => ids.map((id) => candidateSide(id, candidate)))
  const shares = [
    sides!.filter((side) => side === 'left').length,
    sides!.filter((side, at) => side === others![at]).length,
  ]
  for (const share of shares) {
    expect(share).toBeGreaterThan(150)
    expect(share).toBeLessThan(250)
  }
  expect(ids.map((id) => candidateSide(id, 'a/b'))).toEqual(sides)
})

it('reads the chosen side as a preference', () => {
  const about = { sampleId: ids[0] as string, candidate: 'a/b' }
  const side = candidateSide(about.sampleId, about.candidate)
  expect(preferenceOf(about, side)).toBe('candidate')
  expect(preferenceOf(about, side === 'left' ? 'right' : 'left')).toBe('baseline')
  expect(preferenceOf(about, 'neither')).toBe('tie')
})

it('counts the latest choice of the person about samples that the judge judged', () => {
  const chose = (sample: string, preference: EvalPreference['preference'], more: Partial<EvalPreference> = {}) =>
    ({ sample_id: sample, preference, grader_id: 'ann', candidate: 'a/b', ...more }) as EvalPreference
  const found = agreementOf({
    grader: 'ann',
    candidate: 'a/b',
    preferences: [
      chose('s1', 'candidate'),
      chose('s1', 'baseline'),
      chose('s2', 'tie'),
      chose('s3', 'baseline'),
      chose('s4', 'candidate', { grader_id: 'bob' }),
      chose('s2', 'candidate', { candidate: 'c/d' }),
    ],
    outcomes: new Map([
      ['s1', 'win'],
      ['s2', 'loss'],
      ['s3', 'error'],
      ['s4', 'win'],
    ]),
  })
  expect(found).toEqual({ compared: 2, agreed: 1 })
})
