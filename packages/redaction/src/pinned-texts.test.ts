import { createHash } from 'node:crypto'
import { pinnedTexts } from './pinned-texts.fixture.ts'
import { redactText } from './redact-text.ts'

/**
 * By seed: a digest of what redaction makes of the texts. A change of rules, names, patterns or of the fixtures changes it;
 * a change for speed must not.
 */
const digests: readonly (readonly [number, string])[] = [
  [1, '5a43c12631ddcea2'],
  [2, 'f0f28b8eec19042c'],
  [3, '8a72aed6642ee1d8'],
  [4, 'bfa659db9f68da3c'],
  [5, '5c527f34d8191577'],
  [6, '02d2a9da89a16ceb'],
  [7, 'ca8e883f87066c11'],
  [8, '4dcc102c13fc9be9'],
  [9, '35d4431ef532b302'],
  [10, 'bf97b4ddc0dce2c6'],
  [11, 'd3b9cd92e88fe752'],
  [12, 'cbe5796dacb986be'],
  [13, '37a524fdcd75a549'],
  [14, 'a1a1efb054701f94'],
  [15, '313e31fa81138fb8'],
  [16, '57a04f2a9cdeed80'],
  [17, '73620eb785beec09'],
  [18, '784370dc91afd2fb'],
  [19, '3edf8394ab5f8242'],
  [20, 'c93e85f4d2827774'],
  [21, '936b9a0d396c853a'],
  [22, '73467a045047b107'],
  [23, '02736678c88788b7'],
  [24, '1d0fbb7ad196d2a8'],
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
