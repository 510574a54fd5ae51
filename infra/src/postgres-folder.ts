import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type PostgresBinaries, postgresBinaries } from './postgres-binaries.ts'
import { type PostgresUser, postgresUser } from './postgres-user.ts'
import { commandLineOf, identify, isRunning } from './process-identity.ts'
import { ReadableError } from './readable-error.ts'

/** The major version of the bundled binaries; data of another one cannot be read. */
export const postgresMajor = '18'

/**
 * Makes a data directory that a server can be started on: creates it, stops a server that was left running on it,
 * removes the lock file of one that is gone.
 *
 * @throws ReadableError when the directory was written by another major version
 */
export async function preparePostgresFolder({
  folder,
  password,
}: {
  folder: string
  password: string
}): Promise<{ user: PostgresUser; binaries: PostgresBinaries }> {
  const binaries = postgresBinaries()
  const parent = path.dirname(folder)
  mkdirSync(parent, { recursive: true })
  const user = postgresUser(binaries.postgres, parent)
  if (existsSync(path.join(folder, 'PG_VERSION'))) {
    checkVersion(folder)
    await stopLeftover(folder)
  } else {
    createCluster({ folder, password, user, binaries })
  }
  return { user, binaries }
}

interface NewCluster {
  readonly folder: string
  readonly password: string
  readonly user: PostgresUser
  readonly binaries: PostgresBinaries
}

/** Builds the cluster beside its place and moves it there whole, so an interrupted start leaves no half of one. */
function createCluster({ folder, password, user, binaries }: NewCluster): void {
  const staging = mkdtempSync(`${folder}-new-`)
  const data = path.join(staging, 'data')
  const passwordFile = path.join(staging, 'password')
  try {
    writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 })
    mkdirSync(data, { mode: 0o700 })
    for (const file of [staging, data, passwordFile]) user.own(file)
    initdb({ data, passwordFile, user, binaries })
    rmSync(folder, { recursive: true, force: true })
    renameSync(data, folder)
  } finally {
    rmSync(staging, { recursive: true, force: true })
  }
}

interface InitdbOptions {
  readonly data: string
  readonly passwordFile: string
  readonly user: PostgresUser
  readonly binaries: PostgresBinaries
}

function initdb({ data, passwordFile, user, binaries }: InitdbOptions): void {
  const [command = '', ...args] = [
    ...user.prefix,
    binaries.initdb,
    `--pgdata=${data}`,
    '--username=postgres',
    '--auth=scram-sha-256',
    `--pwfile=${passwordFile}`,
    '--encoding=UTF8',
    // The same sort order on every machine, whatever its C library has.
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
  ]
  const env = { PATH: process.env.PATH, LC_ALL: 'C' }
  const result = spawnSync(command, args, { ...user.user, env, cwd: path.dirname(data), encoding: 'utf8' })
  if (result.status === 0) return
  const words = `${result.error?.message ?? ''}${result.stderr ?? ''}`.trim().split('\n').slice(-4)
  throw new ReadableError(['Postgres could not create its data directory.', ...words].join('\n    '))
}

function checkVersion(folder: string): void {
  const version = readFileSync(path.join(folder, 'PG_VERSION'), 'utf8').trim()
  if (version === postgresMajor) return
  throw new ReadableError(
    `${folder} was written by Postgres ${version}; this is ${postgresMajor}. Move it away, or start with --reset to begin with empty data.`,
  )
}

/** The server of a fleet that was killed goes on alone. Only a server on this very directory is touched. */
async function stopLeftover(folder: string): Promise<void> {
  const lockFile = path.join(folder, 'postmaster.pid')
  if (!existsSync(lockFile)) return
  const pid = Number(readFileSync(lockFile, 'utf8').split('\n')[0])
  const server = Number.isInteger(pid) && pid > 0 ? identify(pid) : null
  if (server === null || commandLineOf(pid)?.includes(folder) !== true) {
    rmSync(lockFile, { force: true })
    return
  }
  process.kill(pid, 'SIGINT')
  for (let waitedMs = 0; isRunning(server); waitedMs += 50) {
    if (waitedMs === 20_000) process.kill(pid, 'SIGQUIT')
    if (waitedMs > 40_000) throw new ReadableError(`A Postgres (process ${pid}) runs on ${folder} and does not stop.`)
    await sleep(50)
  }
}
