import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { checkImport, mayDepend, mayDependOnServices } from './import-rules.ts'
import { checkSource, importsOf } from './source-rules.ts'

const prefix = '@ratchet/'
const skipped = new Set(['node_modules', 'generated', '.data', '.toolchain', 'results'])

/**
 * Checks who imports whom, from the package.json files and from every import of the source, and what no file may hold.
 *
 * @param root the repository's folder
 * @returns one line per problem, empty when all is well
 */
export function checkBoundaries(root: string): readonly string[] {
  const services = new Set(folders(root, 'services'))
  const packages = [...folders(root, 'packages').map((name) => `packages/${name}`), 'infra', 'test-e2e', 'bench']
  const all = [...packages, ...[...services].map((name) => `services/${name}`)]
  return all.flatMap((folder) => [
    ...checkManifest(root, folder, services),
    ...sourceFiles(path.join(root, folder)).flatMap((file) => checkFile(root, file, services)),
  ])
}

function checkManifest(root: string, folder: string, services: ReadonlySet<string>): readonly string[] {
  const file = path.join(root, folder, 'package.json')
  if (!existsSync(file)) return []
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Record<string, string> | undefined>
  return (['dependencies', 'devDependencies'] as const).flatMap((kind) => {
    const names = Object.keys(manifest[kind] ?? {}).flatMap((name) =>
      name.startsWith(prefix) ? [name.slice(prefix.length)] : [],
    )
    const wrong = names.filter((name) => {
      return services.has(name) ? !mayDependOnServices(folder) : !mayDepend(folder, name, kind)
    })
    return wrong.map((name) => `${folder}/package.json: ${kind} must not hold ${prefix}${name}`)
  })
}

function checkFile(root: string, file: string, services: ReadonlySet<string>): readonly string[] {
  const relative = path.relative(root, file).split(path.sep).join('/')
  const text = readFileSync(file, 'utf8')
  const imports = importsOf(text).flatMap((specifier) => checkImport({ file: relative, specifier }, services) ?? [])
  return [...imports, ...checkSource(relative, text)].map((problem) => `${relative}: ${problem}`)
}

function sourceFiles(folder: string): readonly string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(folder, entry.name)
    if (entry.isDirectory()) return skipped.has(entry.name) ? [] : sourceFiles(file)
    return /\.(ts|mts|mjs)$/.test(entry.name) ? [file] : []
  })
}

function folders(root: string, group: string): readonly string[] {
  const folder = path.join(root, group)
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
}
