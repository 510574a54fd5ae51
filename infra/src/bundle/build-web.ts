import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { repositoryRoot } from '../fleet/data-paths.ts'
import { collectOutput } from '../processes/collect-output.ts'
import { markUsed, removeOldBundles } from './old-bundles.ts'

const webFolder = path.join(repositoryRoot, 'services/dashboard/web')

/** The files of which the pages are made. They import nothing of other packages. */
const sources = [
  'services/dashboard/web/{*.*,{src,build,public}/**/*.*}',
  'packages/{contracts,stats}/src/**/*.{ts,json}',
  'infra/src/bundle/build-web.ts',
  'pnpm-lock.yaml',
]

/** `gallery` is the page that shows every part in all its states, for tests. */
type WebBuild = 'app' | 'gallery'

/**
 * Builds the pages of the dashboard, as `vite build` does, if they have changed since the last time.
 *
 * @returns their folder; equal sources have the same folder, which nothing changes
 * @throws Error with what Vite reports
 */
export async function buildWeb(what: WebBuild = 'app'): Promise<string> {
  const builds = path.join(repositoryRoot, 'node_modules/.cache/dashboard-web')
  const folder = path.join(builds, `${hashOfSources()}-${what}`)
  mkdirSync(builds, { recursive: true })
  if (!existsSync(folder)) await build(folder, what)
  markUsed(folder)
  removeOldBundles(builds)
  return folder
}

/** Builds beside the folder first, so that a folder is always complete, also when two processes write it. */
async function build(folder: string, what: WebBuild): Promise<void> {
  const unfinished = `${folder}.${process.pid}`
  const vite = path.join(webFolder, 'node_modules/vite/bin/vite.js')
  const args = [
    vite,
    'build',
    '--outDir',
    unfinished,
    '--emptyOutDir',
    '--logLevel',
    'warn',
    ...(what === 'gallery' ? ['--mode', 'gallery'] : []),
  ]
  // Tests set NODE_ENV, with which Vite would build the larger pages for developers.
  const env = { ...process.env, NODE_ENV: 'production' }
  const { ok, output } = await collectOutput(process.execPath, args, { cwd: webFolder, env })
  if (!ok) throw new Error(output)
  try {
    renameSync(unfinished, folder)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  }
}

function hashOfSources(): string {
  const hash = createHash('sha256').update(`${process.version}\0`)
  for (const file of globSync(sources, { cwd: repositoryRoot }).sort()) {
    if (/\.test\.tsx?$/.test(file)) continue
    hash.update(`${file}\0`).update(readFileSync(path.join(repositoryRoot, file)))
  }
  return hash.digest('hex').slice(0, 16)
}
