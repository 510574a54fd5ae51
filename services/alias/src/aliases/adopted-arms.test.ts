import { AliasSettings } from '@ratchet/contracts/aliases'
import { adoptedArms } from './adopted-arms.ts'

const version = 'ft:sim/small:acme:support:aaaaaaaa'
const splitAt = (percent: number) =>
  AliasSettings.parse({
    name: 'support',
    target_model: 'sim/large',
    canary_model: version,
    canary_percent: percent,
  })
const toVersion = AliasSettings.parse({ name: 'support', target_model: version })

it.each([
  ['begins to get requests', splitAt(0), splitAt(10), [{ arm: 'canary', percent: 10, promoted: false }]],
  ['gets a larger share', splitAt(10), splitAt(50), []],
  ['gets all requests', splitAt(50), splitAt(100), [{ arm: 'canary', percent: 100, promoted: true }]],
  ['gets all requests at once', splitAt(0), splitAt(100), [{ arm: 'canary', percent: 100, promoted: false }]],
  ['becomes the target', splitAt(50), toVersion, [{ arm: 'target', percent: 100, promoted: true }]],
  ['keeps all requests as the target', splitAt(100), toVersion, []],
  ['gets none any more', splitAt(50), splitAt(0), []],
  ['is the target of a new alias', null, toVersion, [{ arm: 'target', percent: 100, promoted: false }]],
] as const)('notes a version that %s', (_case, before, after, noted) => {
  expect(adoptedArms(before, after)).toEqual(noted.map((arm) => ({ model: version, ...arm })))
})

it('notes nothing of models of the catalog, nor of a deleted alias', () => {
  const other = { ...toVersion, target_model: 'sim/medium' }
  expect(adoptedArms(null, other)).toEqual([])
  expect(adoptedArms(toVersion, null)).toEqual([])
})
