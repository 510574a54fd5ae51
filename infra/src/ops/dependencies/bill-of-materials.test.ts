import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Spec, Validation } from '@cyclonedx/cyclonedx-library'
import { repositoryRoot } from '../../fleet/data-paths.ts'
import { billOfMaterials, type ImageContents } from './bill-of-materials.ts'
import { imageFolders, readLockfile } from './images.ts'
import { readInstalledPackages } from './installed-packages.ts'
import { productionTree } from './lockfile.ts'

const lockfile = readLockfile()
const installed = readInstalledPackages()

function contentsOf(folder: string): ImageContents {
  const tree = productionTree(lockfile, [folder])
  return {
    folder,
    tree,
    installed,
    runtime: process.versions,
    baseImage: 'example.com/node@sha256:ab',
    version: '1.2.3',
  }
}

interface Component {
  readonly name: string
  readonly group?: string
  readonly version?: string
  readonly purl?: string
  readonly licenses?: readonly unknown[]
  readonly 'bom-ref': string
}

interface Bom {
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[]
}

const read = (folder: string) => JSON.parse(billOfMaterials(contentsOf(folder))) as Bom

it.each(imageFolders)('the bill of %s follows the schema of CycloneDX', async (folder) => {
  const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6)
  expect(await validator.validate(billOfMaterials(contentsOf(folder)))).toBeNull()
})

it('lists the code of the image with versions and licences, Node, and nothing for development', () => {
  const { components } = read('services/edge')
  const names = components.map(({ group, name }) => (group === undefined ? name : `${group}/${name}`))
  expect(names).toEqual(expect.arrayContaining(['express', 'undici', '@ratchet/edge', '@ratchet/service-kit', 'node']))
  expect(names.filter((name) => /^jest|typescript|@ratchet\/(?:testing|inference|infra)$/.test(name))).toEqual([])
  expect(components.find((each) => each['bom-ref'] === 'node')?.version).toBe(process.versions.node)
  const packages = components.filter(({ purl }) => purl?.startsWith('pkg:npm/') === true)
  expect(packages.length).toBeGreaterThan(50)
  expect(packages.filter(({ version, licenses }) => version === undefined || licenses === undefined)).toEqual([])
})

it('connects every component to the image', () => {
  const { components, dependencies } = read('services/judging')
  const needs = new Map(dependencies.map(({ ref, dependsOn = [] }) => [ref, dependsOn]))
  const reached = new Set(['image'])
  for (const ref of reached) for (const each of needs.get(ref) ?? []) reached.add(each)
  expect(components.map((each) => each['bom-ref']).filter((ref) => !reached.has(ref))).toEqual([])
})

it('is the same text for the same contents, and has another serial number for others', () => {
  const serialOf = (text: string) => (JSON.parse(text) as { serialNumber: string }).serialNumber
  expect(billOfMaterials(contentsOf('services/eval'))).toBe(billOfMaterials(contentsOf('services/eval')))
  const others = imageFolders.map((folder) => serialOf(billOfMaterials(contentsOf(folder))))
  expect(new Set(others).size).toBe(imageFolders.length)
})

it('follows the dependencies that the recipe installs: without those for tests', () => {
  const recipe = readFileSync(path.join(repositoryRoot, 'infra/docker/service.Dockerfile'), 'utf8')
  expect(recipe).toMatch(/--prod --filter-prod "\{\.\/\$\{SERVICE\}\}\.\.\."/)
  expect(recipe).toContain('COPY --from=bom /out/sbom.cdx.json /app/sbom.cdx.json')
})
