import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { commandLineOf, identify, isRunning } from '../processes/process-identity.ts'
import { ReadableError } from '../terminal/readable-error.ts'
import { type PostgresBinaries, postgresBinaries } from './postgres-binaries.ts'
import { type PostgresUser, postgresUser } from './postgres-user.ts'

/** The major version of the bundled binaries, which cannot read data of another version. */
export const postgresMajor = '18'

/**
 * Prepares a data directory for the start of a server: creates it, stops a server that was left running on it, and
 * removes the lock file of one that has ended.
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

/** Creates the cluster in another folder and then moves it, so that an interrupted start leaves no incomplete one. */
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
    // This provider sorts the same on every machine; the C library's does not.
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
    `${folder} was written by Postgres ${version}; this release has ${postgresMajor}. Move the folder away, or start with --reset to delete all data.`,
  )
}

/** Stops the server of a fleet that was killed. A process is stopped only if it runs on this directory. */
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
