import pg from 'pg'
import { type Child, type ChildEvents, type ChildSpec, startChild } from '../processes/child.ts'
import { preparePostgresFolder } from './postgres-folder.ts'

export interface PostgresOptions {
  /** Data directory; created when missing. */
  readonly folder: string
  readonly port: number
  /** Password of the superuser `postgres`; used to create a data directory and to connect. */
  readonly password: string
  /** Settings that override the defaults, such as `{ fsync: 'off' }` for temporary data. */
  readonly settings?: Readonly<Record<string, string>>
}

export interface RunningPostgres extends Child {
  readonly port: number
  /** Connection string of the superuser for a database, `postgres` by default. */
  url(database?: string): string
}

const defaultSettings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Details of an error are rows of the statement, and the log is a file.
  log_error_verbosity: 'terse',
}

/**
 * Starts a Postgres on a data directory and waits until it accepts connections. Postgres recovers a directory whose
 * server was killed; a server that still runs on the directory is stopped first.
 *
 * @throws ReadableError when it does not become ready
 */
export async function startPostgres(options: PostgresOptions, events: ChildEvents = {}): Promise<RunningPostgres> {
  const child = await startChild(await postgresSpec(options), events)
  return { ...child, port: options.port, url: (database) => postgresUrl(options, database) }
}

/** Prepares the data directory, and describes how to run a server on it. */
export async function postgresSpec(options: PostgresOptions): Promise<ChildSpec> {
  const { user, binaries } = await preparePostgresFolder(options)
  const settings = Object.entries({ ...defaultSettings, ...options.settings })
  const flags = settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const [command = binaries.postgres, ...words] = [...user.prefix, binaries.postgres]
  return {
    name: 'postgres',
    command,
    args: [...words, '-D', options.folder, '-p', String(options.port), ...flags],
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
    ...(user.user === undefined ? {} : { user: user.user }),
    cwd: options.folder,
    // Fast shutdown: open connections are closed, and everything committed is on disk.
    stopSignal: 'SIGINT',
    stopTimeoutMs: 30_000,
    // After a crash Postgres replays the write-ahead log before it accepts connections.
    readyTimeoutMs: 120_000,
    isReady: () => takesConnections(postgresUrl(options)),
  }
}

/** Connection string of the superuser for a database of this server. */
export function postgresUrl({ port, password }: PostgresOptions, database = 'postgres'): string {
  return `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`
}

/** Creates a database unless it exists. */
export async function ensureDatabase(adminUrl: string, name: string): Promise<void> {
  await withClient(adminUrl, async (client) => {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name])
    if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`)
  })
}

/** Whether a Postgres answers at this address. */
export async function takesConnections(url: string): Promise<boolean> {
  return withClient(url, async (client) => (await client.query('SELECT 1')).rowCount === 1).catch(() => false)
}

async function withClient<T>(connectionString: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 3_000 })
  // Without a listener, a connection error between two queries would end the process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    return await use(client)
  } finally {
    await client.end().catch(() => undefined)
  }
}
