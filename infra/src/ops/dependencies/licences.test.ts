import { readLockfile, shippedTree } from './images.ts'
import { readInstalledPackages } from './installed-packages.ts'
import { readLicenceDocument } from './licence-document.ts'
import { licenceDocument, licensedPackages, refusedLicences } from './licences.ts'

const tree = shippedTree(readLockfile())
const installed = readInstalledPackages()
const licensed = licensedPackages(tree, installed)

const named = (licence: string | null) => refusedLicences([{ name: 'left-pad', version: '1.0.0', licence }])

it.each(['MIT', 'Apache-2.0', '(MIT OR GPL-3.0-only)', 'BSD-3-Clause AND ISC'])('allows %s', (licence) => {
  expect(named(licence)).toEqual([])
})

it.each([
  'GPL-3.0-only',
  'AGPL-3.0-only',
  'MIT AND GPL-2.0-only',
  'BUSL-1.1',
  'SEE LICENSE IN LICENSE.txt',
  'UNLICENSED',
  '',
])('refuses %j', (licence) => {
  expect(named(licence)).toHaveLength(1)
})

it('refuses a package that names no licence', () => {
  expect(named(null)).toEqual(['left-pad@1.0.0: no licence is named'])
})

it('every package of the images has a licence that allows it beside Apache-2.0', () => {
  expect(licensed.length).toBeGreaterThan(100)
  expect(refusedLicences(licensed)).toEqual([])
})

it('so do the builds for this machine', () => {
  const builds = [...tree.packages.values()].filter((each) => each.isForSomeMachines && installed.isInstalled(each))
  const named = builds.map(({ name, version }) => ({ name, version, licence: installed.licenceOf({ name, version }) }))
  expect(refusedLicences(named)).toEqual([])
})

it('docs/licences.md lists them: `npm run codegen` writes it', () => {
  expect(readLicenceDocument()).toBe(licenceDocument(licensed))
})
