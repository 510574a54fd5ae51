import { createHash } from 'node:crypto'
import { Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library'
import { PackageURL } from 'packageurl-js'
import type { InstalledPackages } from './installed-packages.ts'
import type { LockedPackage, OwnPackage, ProductionTree } from './lockfile.ts'

/** An image of the recipe, and what runs its code. */
export interface ImageContents {
  /** The folder that the recipe is called with, `services/edge`. */
  readonly folder: string
  readonly tree: ProductionTree
  readonly installed: InstalledPackages
  /** `process.versions` of the Node that runs the code. */
  readonly runtime: Readonly<Record<string, string | undefined>>
  /** The base image, if it is known. */
  readonly baseImage: string | null
  /** The version of this product. */
  readonly version: string
}

/** Writes what an image contains as CycloneDX in JSON. The same contents give the same text. */
export function billOfMaterials(contents: ImageContents): string {
  const bom = new Models.Bom()
  const image = new Models.Component(Enums.ComponentType.Container, `ratchet/${contents.folder.split('/')[1]}`, {
    version: contents.version,
    bomRef: 'image',
  })
  bom.metadata.component = image
  const own = ownComponents(contents)
  const packages = packageComponents(contents)
  for (const { folder, own: others, needs } of contents.tree.own) {
    const component = own.get(folder)
    for (const each of others) addNeed(component, own.get(each))
    for (const each of needs) addNeed(component, packages.get(each))
  }
  for (const [key, { needs }] of contents.tree.packages)
    for (const each of needs) addNeed(packages.get(key), packages.get(each))
  const runtime = runtimeComponents(contents)
  addNeed(image, own.get(contents.folder))
  for (const each of runtime) addNeed(image, each)
  for (const each of [...own.values(), ...packages.values(), ...runtime]) bom.components.add(each)
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6))
  bom.serialNumber = serialOf(serializer.serialize(bom, { sortLists: true }))
  return `${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`
}

function addNeed(component: Models.Component | undefined, needed: Models.Component | undefined): void {
  if (needed !== undefined) component?.dependencies.add(needed.bomRef)
}

function ownComponents({ tree, version }: ImageContents): ReadonlyMap<string, Models.Component> {
  return new Map(tree.own.map(({ folder }) => [folder, ownComponent(folder, version)]))
}

function ownComponent(folder: OwnPackage['folder'], version: string): Models.Component {
  const name = folder.split('/')[1] ?? folder
  const component = new Models.Component(Enums.ComponentType.Library, name, {
    group: '@ratchet',
    version,
    bomRef: folder,
  })
  component.licenses.add(new Models.SpdxLicense('Apache-2.0'))
  return component
}

/** Leaves out builds for other machines, which are in the lockfile but not installed. */
function packageComponents({ tree, installed }: ImageContents): ReadonlyMap<string, Models.Component> {
  const contained = [...tree.packages].filter(([, each]) => !each.isForSomeMachines || installed.isInstalled(each))
  return new Map(contained.map(([key, each]) => [key, packageComponent(key, each, installed.licenceOf(each))]))
}

function packageComponent(key: string, { name, version, integrity }: LockedPackage, licence: string | null) {
  const [last = name, group] = name.split('/').toReversed()
  const component = new Models.Component(Enums.ComponentType.Library, last, {
    ...(group === undefined ? {} : { group }),
    version,
    bomRef: key,
    purl: new PackageURL('npm', group, last, version, undefined, undefined).toString(),
  })
  if (licence !== null) component.licenses.add(new Models.LicenseExpression(licence))
  if (integrity?.startsWith('sha512-') === true)
    component.hashes.set(Enums.HashAlgorithm['SHA-512'], Buffer.from(integrity.slice(7), 'base64').toString('hex'))
  return component
}

/** Node with the libraries inside it, and the image that it comes in. */
function runtimeComponents({ runtime, baseImage }: ImageContents): readonly Models.Component[] {
  const { node = 'unknown', ...libraries } = runtime
  const component = new Models.Component(Enums.ComponentType.Platform, 'node', {
    version: node,
    bomRef: 'node',
    purl: new PackageURL('generic', undefined, 'node', node, undefined, undefined).toString(),
  })
  component.licenses.add(new Models.SpdxLicense('MIT'))
  for (const [name, version] of Object.entries(libraries)) {
    if (version === undefined || name === 'modules' || name === 'napi') continue
    const library = new Models.Component(Enums.ComponentType.Library, name, { version, bomRef: `node/${name}` })
    component.components.add(library)
  }
  if (baseImage === null) return [component]
  return [component, new Models.Component(Enums.ComponentType.Container, baseImage, { bomRef: 'base-image' })]
}

/** A UUID of the contents, so that a changed image has another one. */
function serialOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  const [a, b, c, d, e] = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(13, 16), hex.slice(17, 20), hex.slice(20, 32)]
  return `urn:uuid:${a}-${b}-8${c}-a${d}-${e}`
}
