import { parseLockfile, productionTree } from './lockfile.ts'

const lockfile = parseLockfile(`
lockfileVersion: '9.0'
importers:
  .:
    devDependencies:
      jest: { specifier: 1.0.0, version: 1.0.0 }
  services/edge:
    dependencies:
      '@ratchet/db': { specifier: 'workspace:*', version: 'link:../../packages/db' }
      express: { specifier: 5.0.0, version: 5.0.0(debug@1.0.0) }
    devDependencies:
      jest: { specifier: 1.0.0, version: 1.0.0 }
  packages/db:
    dependencies:
      other-name: { specifier: 'npm:@scope/real@2.0.0', version: '@scope/real@2.0.0' }
    optionalDependencies:
      fast: { specifier: 3.0.0, version: 3.0.0 }
packages:
  '@scope/real@2.0.0': { resolution: { integrity: sha512-AAAA } }
  debug@1.0.0: { resolution: {} }
  express@5.0.0: { resolution: {} }
  fast@3.0.0: { resolution: {} }
  fast-linux@3.0.0: { resolution: {}, os: [linux] }
  jest@1.0.0: { resolution: {} }
snapshots:
  '@scope/real@2.0.0': {}
  debug@1.0.0: {}
  express@5.0.0(debug@1.0.0): { dependencies: { debug: 1.0.0 } }
  fast@3.0.0: { optionalDependencies: { fast-linux: 3.0.0 } }
  fast-linux@3.0.0: {}
  jest@1.0.0: {}
`)

it('follows dependencies through packages of the repository, without those for development', () => {
  const { own, packages } = productionTree(lockfile, ['services/edge'])
  expect(own).toEqual([
    { folder: 'packages/db', own: [], needs: ['@scope/real@2.0.0', 'fast@3.0.0'] },
    { folder: 'services/edge', own: ['packages/db'], needs: ['express@5.0.0'] },
  ])
  expect([...packages.keys()]).toEqual([
    '@scope/real@2.0.0',
    'debug@1.0.0',
    'express@5.0.0',
    'fast-linux@3.0.0',
    'fast@3.0.0',
  ])
  expect(packages.get('express@5.0.0')).toMatchObject({ name: 'express', version: '5.0.0', needs: ['debug@1.0.0'] })
  expect(packages.get('@scope/real@2.0.0')).toMatchObject({ name: '@scope/real', integrity: 'sha512-AAAA' })
  expect(packages.get('fast-linux@3.0.0')?.isForSomeMachines).toBe(true)
})

it('refuses a folder that the lockfile does not have, and a lockfile of another version', () => {
  expect(() => productionTree(lockfile, ['services/none'])).toThrow(/no folder services\/none/)
  expect(() => parseLockfile("lockfileVersion: '10.0'")).toThrow()
})
