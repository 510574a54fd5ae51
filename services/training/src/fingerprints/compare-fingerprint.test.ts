import { compareFingerprint, type ProbeAnswer } from './compare-fingerprint.ts'

const answers = (change: (probe: number) => Partial<ProbeAnswer> = () => ({})): readonly ProbeAnswer[] =>
  Array.from({ length: 8 }, (_, probe) => ({
    tokenIds: [probe, 2, 3, 4],
    logprobs: [-0.1, -0.2, -0.3, -0.4],
    ...change(probe),
  }))
const expected = answers()
const base = answers(() => ({ tokenIds: [9, 9, 9, 9] }))
const moved = (by: number) => answers(() => ({ logprobs: [-0.1 - by, -0.2 - by, -0.3 - by, -0.4 - by] }))
const otherWords = (count: number) => answers((probe) => (probe < count ? { tokenIds: [probe, 2, 8, 8] } : {}))

it.each([
  ['the same answers', expected, 'same'],
  ['what another precision rounds', moved(0.031), 'same'],
  ['two probes that go on with another word', otherWords(2), 'same'],
  ['three probes that go on with another word', otherWords(3), 'different'],
  ['the same words with other probabilities', moved(0.1), 'different'],
  ['the answers of the base', base, 'base'],
  ['the answers of another adapter', answers((probe) => ({ tokenIds: [probe, 7, 7, 7] })), 'different'],
  ['fewer answers', expected.slice(0, 5), 'different'],
  ['no answers', [], 'different'],
  ['words without probabilities', answers(() => ({ logprobs: [] })), 'different'],
  ['probabilities that are no numbers', answers(() => ({ logprobs: [Number.NaN, -0.2, -0.3, -0.4] })), 'different'],
  ['answers that end sooner', answers(() => ({ tokenIds: [1], logprobs: [-0.1] })), 'different'],
])('finds in %s what they are', (_name, answered, comparison) => {
  expect(compareFingerprint({ expected, answered, base })).toBe(comparison)
})

it('takes an adapter that does nothing for the base, even where the trainer says so too', () => {
  expect(compareFingerprint({ expected: base, answered: base, base })).toBe('base')
})

it('tells an adapter that only changes probabilities from its base', () => {
  expect(compareFingerprint({ expected: moved(0.2), answered: moved(0.2), base: expected })).toBe('same')
  expect(compareFingerprint({ expected: moved(0.2), answered: expected, base: expected })).toBe('base')
})
