import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { repositoryRoot } from '../fleet/data-paths.ts'
import { collectOutput } from './collect-output.ts'

/** One program with its arguments. */
export type Command = readonly [program: string, ...args: string[]]

export interface Installation {
  /** Name and version: another version gets another folder. */
  readonly name: string
  /** Prepares the new folder and returns the commands that install the software in it. */
  readonly prepare: (folder: string) => readonly Command[]
}

export type Installed =
  | { readonly kind: 'installed'; readonly folder: string }
  | { readonly kind: 'failed'; readonly reason: string }

/** Outside the workspace's packages and its lockfile: this software is compared and tried, never used. */
const cacheFolder = path.join(repositoryRoot, 'node_modules', '.cache', 'ratchet-installed')

/** Whether software of this name is installed. */
export function isInstalled(name: string): boolean {
  return existsSync(path.join(cacheFolder, name, 'installed'))
}

/** Removes installations whose name begins with a text, but for one. */
export function removeOthers(prefix: string, kept: string): void {
  if (!existsSync(cacheFolder)) return
  const others = readdirSync(cacheFolder).filter((name) => name.startsWith(prefix) && name !== kept)
  for (const name of others) rmSync(path.join(cacheFolder, name), { recursive: true, force: true })
}

/** Installs software once, in a folder of its own. A folder whose installation was interrupted is installed again. */
export async function installInFolder({ name, prepare }: Installation): Promise<Installed> {
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
