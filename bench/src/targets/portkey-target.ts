import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { findProgram } from '@ratchet/infra/processes/find-program'
import { installInFolder } from '@ratchet/infra/processes/install-in-folder'
import { anyFreePort } from '@ratchet/service-kit/process/any-free-port'
import { type ProcessGroup, serverSpec } from './process-group.ts'
import { chatPath, type Target } from './target.ts'

export interface PeerOptions {
  /** URL of the upstream's chat completions. */
  readonly upstreamUrl: string
  /** Folder for files of this run. */
  readonly folder: string
  readonly say: (text: string) => void
}

const packageName = '@portkey-ai/gateway'
const version = '1.15.2'
/**
 * The lower ends of the ranges in its package file; the lockfile of its repository has the same server. npm would choose the
 * newest, and with server 1.19 every streamed request fails ("TypeError: immutable", at the headers of the answer).
 */
const pinned = { hono: '4.9.7', '@hono/node-server': '1.3.3' }

/**
 * Portkey's gateway from npm in its cheapest form: one process, in production, without its log page. It has no keys and no
 * log of its own, so each request names the provider and its address. Null when it cannot be installed.
 */
export async function startPortkey(group: ProcessGroup, { upstreamUrl, say }: PeerOptions): Promise<Target | null> {
  const npm = findProgram('npm')
  if (npm === null) {
    say('Portkey: npm is not on the PATH, so its column stays empty.')
    return null
  }
  const installed = await installInFolder({ name: `portkey-${version}`, prepare: (folder) => prepare(npm, folder) })
  if (installed.kind === 'failed') {
    say(`Portkey could not be installed (${installed.reason}), so its column stays empty.`)
    return null
  }
  const modules = path.join(installed.folder, 'node_modules')
  const port = await anyFreePort()
  const args = [path.join(modules, packageName, 'build', 'start-server.js'), `--port=${port}`, '--headless']
  const spec = serverSpec({ name: 'portkey', command: process.execPath, args, port, env: { NODE_ENV: 'production' } })
  const { pid } = await group.startTarget(spec, { quiet: true })
  say(`Portkey is ${packageName} ${describeVersions(modules)}: one process, no keys, no log, no database.`)
  return {
    id: 'portkey',
    title: 'Portkey',
    url: `http://127.0.0.1:${port}${chatPath}`,
    headers: {
      'content-type': 'application/json',
      authorization: 'Bearer none',
      'x-portkey-provider': 'openai',
      'x-portkey-custom-host': new URL('/v1', upstreamUrl).href,
    },
    processes: { portkey: pid },
    gateway: 'other',
  }
}

function prepare(npm: string, folder: string) {
  const manifest = { private: true, dependencies: { [packageName]: version }, overrides: pinned }
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  return [[npm, 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']] as const
}

function describeVersions(modules: string): string {
  const versionOf = (name: string) =>
    (JSON.parse(readFileSync(path.join(modules, name, 'package.json'), 'utf8')) as { version: string }).version
  const parts = Object.keys(pinned).map((name) => `${name} ${versionOf(name)}`)
  return `${versionOf(packageName)} with ${parts.join(' and ')}`
}
