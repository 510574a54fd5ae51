import { createHash } from 'node:crypto'
import { pinnedTexts } from './pinned-texts.fixture.ts'
import { redactText } from './redact-text.ts'

/**
 * By seed: a digest of what redaction makes of the texts. A change of rules, names, patterns or of the fixtures changes it;
 * a change for speed must not.
 */
const digests: readonly (readonly [number, string])[] = [
  [1, 'ede32b13f28a900f'],
  [2, 'ac577bb52536ec25'],
  [3, 'c8e02db789af27bf'],
  [4, 'fe4c714f323ec2c3'],
  [5, 'a2decb6d7d9037e7'],
  [6, '7e2b220dc872cb4c'],
  [7, '79c7fd970c532e3b'],
  [8, '83f656885702a590'],
  [9, 'ca047c634ac30244'],
  [10, '5bde02e4a2932928'],
  [11, '73c557b12b538282'],
  [12, '32be7a0545ed8917'],
  [13, 'a6ac8c5e600e3995'],
  [14, '5d253821ed7447bf'],
  [15, 'a360243017a1f84b'],
  [16, '0ea0ba26c2cd19ad'],
  [17, 'bd696271eb07b90c'],
  [18, '7aebbc69e5d2781e'],
  [19, 'ea851c460b9b42e7'],
  [20, 'ccbe275e911a2e8f'],
  [21, '5d85640ff1cfa67d'],
  [22, '14b23d04592a0831'],
  [23, 'a2b36e3218b23a2b'],
  [24, '56a31a016f05df09'],
]

it.each(digests)('redacts the texts of seed %i as before', (seed, digest) => {
  const hash = createHash('sha256')
  for (const written of pinnedTexts(seed)) {
    for (const shapedOnly of [false, true]) {
      const { text, found } = redactText(written, { shapedOnly })
      hash.update(JSON.stringify([text, [...found]]))
    }
  }
  expect(hash.digest('hex').slice(0, 16)).toBe(digest)
})
