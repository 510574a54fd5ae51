import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { repositoryRoot } from '../fleet/data-paths.ts'
import { billOfMaterials } from '../ops/dependencies/bill-of-materials.ts'
import { imageFolders, readLockfile } from '../ops/dependencies/images.ts'
import { readInstalledPackages } from '../ops/dependencies/installed-packages.ts'
import { productionTree } from '../ops/dependencies/lockfile.ts'
import { ReadableError, runCommand } from '../terminal/readable-error.ts'

/*
 * `npm run sbom -- FOLDER [services/edge …]`: writes a bill of materials for each image, or for the named ones. The recipe
 * of images runs it with the Node of the image.
 */
await runCommand(async () => {
  const [target, ...named] = process.argv.slice(2)
  if (target === undefined) throw new ReadableError('Name a folder for the files: npm run sbom -- FOLDER')
  const unknown = named.filter((folder) => !imageFolders.includes(folder))
  if (unknown.length > 0) throw new ReadableError(`No image is made of ${unknown.join(', ')}`)
  const lockfile = readLockfile()
  const installed = readInstalledPackages()
  const { version } = JSON.parse(readFileSync(path.join(repositoryRoot, 'package.json'), 'utf8')) as { version: string }
  mkdirSync(target, { recursive: true })
  for (const folder of named.length > 0 ? named : imageFolders) {
    const tree = productionTree(lockfile, [folder])
    const baseImage = process.env.RUNTIME_IMAGE ?? null
    const text = billOfMaterials({ folder, tree, installed, runtime: process.versions, baseImage, version })
    const file = path.join(target, `${path.basename(folder)}.cdx.json`)
    writeFileSync(file, text)
    console.log(
      `✓ ${file}: ${tree.packages.size} packages, ${tree.own.length} of this repository, Node ${process.version}`,
    )
  }
})
