import type { EvalPreference } from '@ratchet/contracts/eval-preferences'
import { agreementOf, candidateSide, preferenceOf } from './blind.ts'

const ids = Array.from({ length: 400 }, (_, index) => `sample_${index.toString(16).padStart(32, '0')}`)

it('shows the candidate on both sides equally often, and always on the same side of a sample', () => {
  const left = ids.filter((id) => candidateSide(id) === 'left').length
  expect(left).toBeGreaterThan(150)
  expect(left).toBeLessThan(250)
  expect(ids.map(candidateSide)).toEqual(ids.map(candidateSide))
})

it('reads the chosen side as a preference', () => {
  const id = ids[0] as string
  const other = candidateSide(id) === 'left' ? 'right' : 'left'
  expect(preferenceOf(id, candidateSide(id))).toBe('candidate')
  expect(preferenceOf(id, other)).toBe('baseline')
  expect(preferenceOf(id, 'neither')).toBe('tie')
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
