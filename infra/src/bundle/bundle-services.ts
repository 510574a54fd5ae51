import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { type BuildOptions, build, type OutputFile, type Plugin, stop, version } from 'esbuild'
import { repositoryRoot } from '../fleet/data-paths.ts'
import { backOfficeEntry, services, simulatedProvider, telemetryEntry } from '../fleet/service-list.ts'
import { removeOldBundles } from './old-bundles.ts'

/** Packages that start threads from files of their own, or load native code. */
const notBundled = ['piscina', 'msgpackr']

/** Files of which a bundle is made, and this room. */
const bundled = ['{services,packages}/*/src/**/*.{ts,json}', 'infra/src/{back-office,bundle}/*.ts']

/** What CommonJS packages expect in every file. No package that is bundled reads a file beside its own. */
const banner = `import { createRequire as requireOf } from 'node:module'
const require = requireOf(import.meta.url), __filename = import.meta.filename, __dirname = import.meta.dirname
`

/**
 * Bundles the services into few files of plain JavaScript: a process then starts in half of the time and takes 30 MB
 * less than from a thousand files of TypeScript.
 *
 * @returns the folder in which `services/edge/src/main.ts` is `services/edge/src/main.mjs`; equal sources have the same
 *   folder, which nothing changes
 * @throws Error with every problem that esbuild reports
 */
export async function bundleServices(): Promise<string> {
  const bundles = path.join(repositoryRoot, 'node_modules/.cache/services')
  const folder = path.join(bundles, hashOfSources())
  if (!existsSync(folder)) {
    writeBundle(await build(options(folder)), folder)
    // esbuild's own process would run as long as this one.
    await stop()
  }
  const now = new Date()
  utimesSync(folder, now, now)
  removeOldBundles(bundles)
  return folder
}

function options(outdir: string): BuildOptions & { readonly write: false } {
  return {
    absWorkingDir: repositoryRoot,
    entryPoints: [telemetryEntry, backOfficeEntry, ...[...services, simulatedProvider].map(({ entry }) => entry)],
    outbase: repositoryRoot,
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    banner: { js: banner },
    plugins: [sourcePaths, packagesOutside],
    write: false,
    logLevel: 'silent',
  }
}

/** Our files find catalogs, migrations and threads beside the source, so they keep the source's path. */
const sourcePaths: Plugin = {
  name: 'source-paths',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/](services|packages)[\\/][\w-]+[\\/]src[\\/].*\.ts$/ }, ({ path: file }) => {
      const source = readFileSync(file, 'utf8')
      if (!source.includes('import.meta.')) return undefined
      const contents = source
        .replaceAll('import.meta.dirname', JSON.stringify(path.dirname(file)))
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(file).href))
      return { contents, loader: 'ts' }
    })
  },
}

const packagesOutside: Plugin = {
  name: 'packages-outside',
  setup({ onResolve, resolve }) {
    const resolving = Symbol('resolving')
    onResolve({ filter: new RegExp(`^(${notBundled.join('|')})$`) }, async ({ path: name, pluginData, ...from }) => {
      if (pluginData === resolving) return undefined
      return { ...(await resolve(name, { ...from, pluginData: resolving })), external: true }
    })
  },
}

/** Of everything that a bundle is made of: the packages are those of the lockfile. */
function hashOfSources(): string {
  const hash = createHash('sha256').update(version)
  const sources = globSync(bundled, { cwd: repositoryRoot }).sort()
  for (const file of ['pnpm-lock.yaml', ...sources]) {
    if (!file.endsWith('.test.ts')) hash.update(`${file}\0`).update(readFileSync(path.join(repositoryRoot, file)))
  }
  return hash.digest('hex').slice(0, 16)
}

/** Writes beside the folder first, so that a folder is always complete, also when two processes write it. */
function writeBundle({ outputFiles }: { readonly outputFiles: readonly OutputFile[] }, folder: string): void {
  const unfinished = `${folder}.${process.pid}`
  for (const file of outputFiles) {
    const target = path.join(unfinished, path.relative(folder, file.path))
    mkdirSync(path.dirname(target), { recursive: true })
    writeFileSync(target, file.contents)
  }
  try {
    renameSync(unfinished, folder)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  }
}
