import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root, toolchain } from './paths.mjs'
import { collect, runQuietly } from './run-quietly.mjs'
import { step } from './step.mjs'
import { isAtLeast, pinnedNode, pinnedPnpm } from './versions.mjs'

const modules = join(toolchain, 'node_modules')

/**
 * Finds a Node that runs TypeScript: the running one if it is new enough, else the pinned one, which is downloaded when
 * it is missing.
 *
 * @returns {Promise<string>} the binary
 */
export async function ensureNode() {
  if (runsTypeScript()) return process.execPath
  const binary = join(modules, 'node', 'bin', 'node')
  if (isInstalled('node', pinnedNode) && existsSync(binary)) return binary
  await step(`node ${pinnedNode}`, () => install({ node: pinnedNode, pnpm: pinnedPnpm }))
  return binary
}

/** Some distributions build Node without type stripping, so checking the version is not enough. */
function runsTypeScript() {
  return isAtLeast(process.versions.node, '24.0.0') && Boolean(process.features.typescript)
}

/**
 * Finds pnpm: the pinned one in `.toolchain/`, else the machine's if it is new enough, else downloads the pinned one.
 *
 * @param {string} node
 * @returns {Promise<string[]>} the words that run it
 */
export async function ensurePnpm(node) {
  const command = [node, join(modules, 'pnpm', 'bin', 'pnpm.mjs')]
  if (isInstalled('pnpm', pinnedPnpm)) return command
  // Outside the repository, where a shim of corepack does not read our package.json.
  const own = await collect('pnpm', ['--version'], { cwd: tmpdir(), timeout: 10_000 })
  if (own.code === 0 && /^\d+\.\d+\.\d+/.test(own.output) && isAtLeast(own.output.trim(), pinnedPnpm)) return ['pnpm']
  await step(`pnpm ${pinnedPnpm}`, () => install({ pnpm: pinnedPnpm }))
  return command
}

async function install(dependencies) {
  mkdirSync(toolchain, { recursive: true })
  // npm 11 requires a list of packages that may run install scripts; older versions ignore it.
  const allowScripts = Object.fromEntries(Object.keys(dependencies).map((name) => [name, true]))
  const manifest = { private: true, dependencies, allowScripts }
  writeFileSync(join(toolchain, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  const quiet = ['--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error']
  const deadline = ['--fetch-retries=3', '--fetch-retry-factor=2', '--fetch-retry-mintimeout=1000']
  const args = ['install', '--prefix', toolchain, '--ignore-scripts=false', ...quiet, ...deadline]
  await runQuietly('npm install', 'npm', args, { cwd: root, env: installEnv() })
}

/** Removes npm's variables, because settings of this project would apply to the installation in `.toolchain/`. */
function installEnv() {
  const { npm_config_local_prefix: _, npm_config_prefix: __, ...env } = process.env
  return env
}

function isInstalled(name, version) {
  try {
    return JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8')).version === version
  } catch {
    return false
  }
}
