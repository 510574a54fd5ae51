import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { repositoryRoot } from '@ratchet/infra/fleet/data-paths'
import { collectOutput } from '@ratchet/infra/processes/collect-output'

/** One program with its arguments. */
export type Command = readonly [program: string, ...args: string[]]

export interface PeerInstall {
  /** Name and version: another version gets another folder. */
  readonly name: string
  /** Prepares the new folder and returns the commands that install the product in it. */
  readonly prepare: (folder: string) => readonly Command[]
}

export type InstalledPeer =
  | { readonly kind: 'installed'; readonly folder: string }
  | { readonly kind: 'failed'; readonly reason: string }

/** Outside the workspace's packages and its lockfile: other products are compared, never used. */
const cacheFolder = path.join(repositoryRoot, 'node_modules', '.cache', 'ratchet-bench')

/** Installs a product once, in a folder of its own. A folder whose installation was interrupted is installed again. */
export async function installPeer({ name, prepare }: PeerInstall): Promise<InstalledPeer> {
  const folder = path.join(cacheFolder, name)
  const finished = path.join(folder, 'installed')
  if (existsSync(finished)) return { kind: 'installed', folder }
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const [program, ...args] of prepare(folder)) {
    const { ok, output } = await collectOutput(program, args, { cwd: folder })
    if (!ok) return { kind: 'failed', reason: lastLine(output) }
  }
  writeFileSync(finished, '')
  return { kind: 'installed', folder }
}

function lastLine(output: string): string {
  return output.trim().split('\n').at(-1) ?? ''
}
