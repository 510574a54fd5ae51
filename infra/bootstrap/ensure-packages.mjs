import { join } from 'node:path'
import { ensurePnpm } from './ensure-toolchain.mjs'
import { root } from './paths.mjs'
import { collect, runQuietly } from './run-quietly.mjs'
import { fingerprint, isFresh, writeStamp } from './stamp.mjs'
import { step } from './step.mjs'

/**
 * Installs the packages when the lockfile has changed since the previous installation.
 *
 * @param {string} node
 */
export async function ensurePackages(node) {
  const stampFile = join(root, 'node_modules', '.ratchet-install')
  const words = [process.platform, process.arch]
  const stamp = fingerprint([join(root, 'pnpm-lock.yaml'), join(root, 'pnpm-workspace.yaml')], words)
  if (isFresh(stampFile, stamp)) return
  const pnpm = await ensurePnpm(node)
  await step('packages', async () => {
    await install(node, pnpm)
    writeStamp(stampFile, stamp)
  })
}

async function install(node, [program, ...args]) {
  const flags = ['install', '--frozen-lockfile', ...(await registryFlag())]
  // CI=true: pnpm must never ask a question.
  const env = { ...process.env, CI: 'true', PATH: `${join(node, '..')}:${process.env.PATH ?? ''}` }
  await runQuietly('pnpm install', program, [...args, ...flags], { cwd: root, env })
}

/** npm reads settings files that pnpm does not read, so pnpm gets the registry of npm as a flag. */
async function registryFlag() {
  const { code, output } = await collect('npm', ['config', 'get', 'registry', '--loglevel=silent'], { cwd: root })
  const url = output.trim()
  return code === 0 && /^https?:\/\/\S+$/.test(url) ? [`--registry=${url}`] : []
}
