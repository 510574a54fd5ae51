import { createHash } from 'node:crypto'
import { pinnedTexts } from './pinned-texts.fixture.ts'
import { redactText } from './redact-text.ts'

/**
 * By seed: a digest of what redaction makes of the texts. A change of rules, names, patterns or of the fixtures changes it;
 * a change for speed must not.
 */
const digests: readonly (readonly [number, string])[] = [
  [1, '9e036d94a9196e39'],
  [2, '35538f21b9f4b538'],
  [3, '4453978f533ab6ec'],
  [4, '3dc5862a2a56e607'],
  [5, 'b45edcf987f0f73b'],
  [6, '9fedb39885d74160'],
  [7, '6286bdc14b9ff0d5'],
  [8, 'd43233901d512907'],
  [9, '02f856bfd15d3ac9'],
  [10, 'a1ec49bb31ee366a'],
  [11, 'ab3254629b72274a'],
  [12, '914f828ca5a33313'],
  [13, '8e42de0cc4fcbe9f'],
  [14, 'acd1c3b0faad4c39'],
  [15, 'fc150a6bf03ee26f'],
  [16, '22cd31987ae35aaa'],
  [17, 'f43c196213b5e8b0'],
  [18, '5e8b0297ab9ff49d'],
  [19, '1ccf1a6f3fb4fec4'],
  [20, 'e6a20e2e011827a8'],
  [21, '82d595ca53fd148c'],
  [22, '8b4090518e566ac1'],
  [23, 'c738cc011b4ca4f8'],
  [24, 'd9cd2f48d8297b34'],
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
