import { isVersionName, versionName } from './version-name.ts'

const named = {
  id: '019aa5f0-8a07-7000-8000-00ffffffff01',
  baseModel: 'sim/small',
  workspace: 'acme',
  suffix: 'support',
}

it('names base, workspace, suffix and eight characters of the id', () => {
  expect(versionName(named)).toBe('ft:sim/small:acme:support:777777yb')
  expect(versionName({ ...named, suffix: null })).toBe('ft:sim/small:acme::777777yb')
  expect(isVersionName(versionName(named))).toBe(true)
})

it('is never longer than aliases take', () => {
  const name = versionName({ ...named, workspace: 'w'.repeat(120), suffix: 's'.repeat(64) })
  expect(name).toHaveLength(200)
  expect(name.endsWith('s:777777yb')).toBe(true)
})

it('differs for ids that differ in their last bits', () => {
  const names = ['0', '1', 'f'].map((digit) => versionName({ ...named, id: named.id.slice(0, -1) + digit }))
  expect(new Set(names).size).toBe(3)
})
