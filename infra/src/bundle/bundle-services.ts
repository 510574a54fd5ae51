import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type OutputFile, type Plugin } from 'esbuild'
import { repositoryRoot } from '../fleet/data-paths.ts'
import { services, simulatedProvider, telemetryEntry } from '../fleet/service-list.ts'
import { removeOldBundles } from './old-bundles.ts'

/** Packages that start threads from files of their own, or load native code. */
const notBundled = ['piscina', 'msgpackr']

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
  // As deep as the folder that is chosen below: paths to what is not bundled are relative.
  const outdir = path.join(bundles, 'unnamed')
  const { outputFiles } = await build({
    absWorkingDir: repositoryRoot,
    entryPoints: [telemetryEntry, ...[...services, simulatedProvider].map(({ entry }) => entry)],
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
  })
  const folder = path.join(bundles, hashOf(outputFiles))
  write(outputFiles, outdir, folder)
  removeOldBundles(bundles)
  return folder
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

function hashOf(files: readonly OutputFile[]): string {
  const hash = createHash('sha256')
  for (const file of files.toSorted((a, b) => (a.path < b.path ? -1 : 1))) hash.update(`${file.path}\0${file.hash}\0`)
  return hash.digest('hex').slice(0, 16)
}

/** Writes beside the folder first, so that a folder is always complete, also when two processes write it. */
function write(files: readonly OutputFile[], outdir: string, folder: string): void {
  const unfinished = `${folder}.${process.pid}`
  for (const file of files) {
    const target = path.join(unfinished, path.relative(outdir, file.path))
    mkdirSync(path.dirname(target), { recursive: true })
    writeFileSync(target, file.contents)
  }
  try {
    renameSync(unfinished, folder)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
  const now = new Date()
  utimesSync(folder, now, now)
}
