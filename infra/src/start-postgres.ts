import pg from 'pg'
import { type Child, type ChildEvents, type ChildSpec, startChild } from './child.ts'
import { preparePostgresFolder } from './postgres-folder.ts'

export interface PostgresOptions {
  /** Data directory; created when missing. */
  readonly folder: string
  readonly port: number
  /** Of the superuser `postgres`; only used for a new data directory and for the connection. */
  readonly password: string
  /** Server settings over ours, such as `{ fsync: 'off' }` for data nobody keeps. */
  readonly settings?: Readonly<Record<string, string>>
}

export interface RunningPostgres extends Child {
  readonly port: number
  /** Superuser's connection string of a database; `postgres` when none is named. */
  url(database?: string): string
}

const defaultSettings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  timezone: 'UTC',
  log_timezone: 'UTC',
}

/**
 * Starts a real Postgres on a data directory and waits until it takes connections.
 * A directory whose server was killed is recovered; a server that still runs on it is stopped first.
 *
 * @throws ReadableError when it does not come up
 */
export async function startPostgres(options: PostgresOptions, events: ChildEvents = {}): Promise<RunningPostgres> {
  const child = await startChild(await postgresSpec(options), events)
  return { ...child, port: options.port, url: (database) => postgresUrl(options, database) }
}

/** Prepares the data directory and says how to run a server on it. */
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
    // Fast shutdown: open connections are cut, everything committed is on disk.
    stopSignal: 'SIGINT',
    stopTimeoutMs: 30_000,
    // Recovery after a crash replays the log before it takes connections.
    readyTimeoutMs: 120_000,
    isReady: () => takesConnections(postgresUrl(options)),
  }
}

/** Superuser's connection string of a database of this server. */
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
  // A connection that breaks between two queries says so here, or ends the process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    return await use(client)
  } finally {
    await client.end().catch(() => undefined)
  }
}
