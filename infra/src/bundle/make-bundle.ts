import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { type BuildOptions, build, type OutputFile, type Plugin } from 'esbuild'
import { repositoryRoot } from '../fleet/data-paths.ts'
import { backOfficeEntry, services, simulatedProvider, telemetryEntry } from '../fleet/service-list.ts'
import { bundledEntry } from './bundled-entry.ts'

/*
 * A program: `node make-bundle.ts <folder>` writes the bundled services to the folder. In a process of its own, because
 * esbuild and its result take 500 MB, which the supervisor of a fleet would keep.
 */

/** Packages that start threads from files of their own, load native code, or read a WebAssembly file beside their own. */
const notBundled = ['piscina', 'msgpackr', '@jitl/quickjs-wasmfile-release-sync']

/** What CommonJS packages expect in every file. No package that is bundled reads a file beside its own. */
const banner = `import { createRequire as requireOf } from 'node:module'
const require = requireOf(import.meta.url), __filename = import.meta.filename, __dirname = import.meta.dirname
`

function options(outdir: string): BuildOptions & { readonly write: false } {
  return {
    absWorkingDir: repositoryRoot,
    entryPoints: [
      telemetryEntry,
      backOfficeEntry,
      ...[...services, simulatedProvider].map(({ entry }) => entry),
      ...threadEntries(),
    ],
    outbase: repositoryRoot,
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    banner: { js: banner },
    plugins: [sourcePaths(outdir), packagesOutside],
    write: false,
    logLevel: 'silent',
  }
}

/** How our files name the module of a thread, which is beside them. */
const threadModule = /new URL\('\.\/([\w-]+\.ts)', import\.meta\.url\)/g

/** The modules that threads run. From the source, each thread would load the compiler of TypeScript: 20 MB. */
function threadEntries(): readonly string[] {
  const files = globSync('{services,packages}/*/src/**/*.ts', { cwd: repositoryRoot }).filter(
    (file) => !file.endsWith('.test.ts'),
  )
  return files.flatMap((file) =>
    [...readFileSync(path.join(repositoryRoot, file), 'utf8').matchAll(threadModule)].map(([, name = '']) =>
      path.join(path.dirname(file), name),
    ),
  )
}

/** Our files find catalogs and migrations beside the source, so they keep the source's path. */
function sourcePaths(outdir: string): Plugin {
  return {
    name: 'source-paths',
    setup({ onLoad }) {
      onLoad({ filter: /[\\/](services|packages)[\\/][\w-]+[\\/]src[\\/].*\.ts$/ }, ({ path: file }) => {
        const source = readFileSync(file, 'utf8')
        if (!source.includes('import.meta.')) return undefined
        const folder = path.relative(repositoryRoot, path.dirname(file))
        const bundledUrl = (name: string) => pathToFileURL(bundledEntry(outdir, path.join(folder, name))).href
        const contents = source
          .replaceAll(threadModule, (_all, name: string) => `new URL(${JSON.stringify(bundledUrl(name))})`)
          .replaceAll('import.meta.dirname', JSON.stringify(path.dirname(file)))
          .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(file).href))
        return { contents, loader: 'ts' }
      })
    },
  }
}

const packagesOutside: Plugin = {
  name: 'packages-outside',
  setup({ onResolve, resolve }) {
    const resolving = Symbol('resolving')
    onResolve({ filter: new RegExp(`^(${notBundled.join('|')})$`) }, async ({ path: name, pluginData, ...from }) => {
      if (pluginData === resolving) return undefined
      const found = await resolve(name, { ...from, pluginData: resolving })
      if (found.errors.length > 0) return { errors: found.errors }
      // As a URL: esbuild writes a path relative to the folder of the bundle, also into files in folders of it.
      const place = from.kind === 'require-call' ? found.path : pathToFileURL(found.path).href
      return { path: place, external: true }
    })
  },
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

const folder = process.argv[2]
if (folder === undefined) throw new Error('name the folder of the bundle')
writeBundle(await build(options(folder)), folder)
process.exit()
