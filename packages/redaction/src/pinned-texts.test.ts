import { createHash } from 'node:crypto'
import { pinnedTexts } from './pinned-texts.fixture.ts'
import { redactText } from './redact-text.ts'

/**
 * By seed: a digest of what redaction makes of the texts. A change of rules, names, patterns or of the fixtures changes it;
 * a change for speed must not.
 */
const digests: readonly (readonly [number, string])[] = [
  [1, 'db08a59bd122b4cd'],
  [2, 'f0f28b8eec19042c'],
  [3, '7df9898c2f3b6f9d'],
  [4, 'bfa659db9f68da3c'],
  [5, 'df8ff86202b225cc'],
  [6, 'bc529ee39750cfff'],
  [7, '02cbd730622de217'],
  [8, '4dcc102c13fc9be9'],
  [9, '35d4431ef532b302'],
  [10, '26418853de1b9277'],
  [11, 'd3b9cd92e88fe752'],
  [12, 'bb498822bfe142f3'],
  [13, 'fcddc8fa2afa25f8'],
  [14, '8648833ecd6cfcd9'],
  [15, '2db1c240affaaa9e'],
  [16, '37a1fa4944a1426b'],
  [17, 'fb1b4c7ce0001ed3'],
  [18, '0984496701496db5'],
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
