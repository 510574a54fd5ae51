import { createHash } from 'node:crypto'
import { pinnedTexts } from './pinned-texts.fixture.ts'
import { redactText } from './redact-text.ts'

/**
 * By seed: a digest of what redaction makes of the texts. Made by an implementation that examined every character with
 * every rule. A change of rules, names or patterns changes it; a change for speed must not.
 */
const digests: readonly (readonly [number, string])[] = [
  [1, 'a712ce8186febf85'],
  [2, '3a55613c44b55251'],
  [3, 'fd88d4955028ed91'],
  [4, '0cb57258451acb54'],
  [5, '0e4814a8a903a4a6'],
  [6, 'f38075af16dd78d7'],
  [7, '61774009760645ce'],
  [8, 'd83631e1653430c5'],
  [9, '695a50ec2338ac49'],
  [10, '0fa122014016c527'],
  [11, '58808306234bdb6a'],
  [12, '50dbd883eb731063'],
  [13, '5a9191667b9a59ca'],
  [14, '07ccc12e732ff91c'],
  [15, '5e012b8c27371ab9'],
  [16, 'fadfdf5ebffed34a'],
  [17, '69eb796afc4246de'],
  [18, 'fc62fb5a25629d49'],
  [19, 'aedbc653f98dbd2e'],
  [20, '13dd530957a1de07'],
  [21, '1f6125eb62574197'],
  [22, 'c455691bb08e48b1'],
  [23, 'aeb52382948a2a62'],
  [24, 'da107e636a3ec60e'],
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
