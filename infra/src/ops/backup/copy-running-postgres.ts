import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { ReadableError } from '../../terminal/readable-error.ts'
import { type CopiedFile, type CopyOptions, copyFile, copyTree } from './copy-tree.ts'
import { describeFile, isLeftOut } from './postgres-files.ts'

export interface RunningPostgres {
  /** A superuser's connection string. */
  readonly url: string
  /** The server's data directory, on this machine. */
  readonly folder: string
}

/**
 * Copies the data directory of a running server as Postgres describes it ("Making a Base Backup Using the Low Level
 * API"). Files may change while they are copied. The write-ahead log of that time is copied as well, and a server that
 * starts on the copy replays it, which restores the state at the end of the backup.
 *
 * @param beforeEnd runs before the backup ends, for example to copy files whose contents Postgres may commit later
 */
export async function copyRunningPostgres(
  { url, folder }: RunningPostgres,
  to: string,
  { onBytes, beforeEnd }: Pick<CopyOptions, 'onBytes'> & { readonly beforeEnd: () => Promise<void> },
): Promise<CopiedFile[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  client.on('error', () => undefined)
  await client.connect()
  try {
    await checkFolder(client, folder)
    // A slot of this session: the server does not delete the write-ahead log until it is copied.
    await client.query("SELECT pg_create_physical_replication_slot('ratchet_backup_' || pg_backend_pid(), true, true)")
    const start = await walFile(client, "pg_backup_start('ratchet backup', true)")
    const watched = onBytes === undefined ? {} : { onBytes }
    const files = await copyTree(folder, to, { skip: (file) => isLeftOut(file) || file === control, ...watched })
    files.push({ path: control, ...(await copyFile(path.join(folder, control), path.join(to, control), onBytes)) })
    await beforeEnd()
    const { label, stop } = await endBackup(client)
    await writeFile(path.join(to, 'backup_label'), label, { mode: 0o600 })
    files.push(await describeFile(to, 'backup_label'))
    const isNeeded = (name: string) => name.endsWith('.history') || (isSegment(name) && name >= start && name <= stop)
    const wal = await copyTree(path.join(folder, 'pg_wal'), path.join(to, 'pg_wal'), {
      skip: (file) => !isNeeded(file),
      ...watched,
    })
    return [...files, ...wal.map((file) => ({ ...file, path: `pg_wal/${file.path}` }))]
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Copied last, because recovery must begin at the checkpoint that it names or at an earlier one. */
const control = 'global/pg_control'

function isSegment(name: string): boolean {
  return /^[0-9A-F]{24}$/.test(name)
}

/** The fleet may use another database than the one in its folder. */
async function checkFolder(client: pg.Client, folder: string): Promise<void> {
  const { rows } = await client.query<{ folder: string }>("SELECT current_setting('data_directory') AS folder")
  if (rows[0]?.folder === folder) return
  throw new ReadableError(`The fleet's database is not the one in ${folder}: back it up where it is, with pg_dump.`)
}

async function walFile(client: pg.Client, position: string): Promise<string> {
  const { rows } = await client.query<{ name: string }>(`SELECT pg_walfile_name(${position}) AS name`)
  return rows[0]?.name ?? ''
}

async function endBackup(client: pg.Client): Promise<{ label: string; stop: string }> {
  // false: do not wait for archiving, because the log is not archived.
  const { rows } = await client.query<{ label: string; stop: string }>(
    'SELECT labelfile AS label, pg_walfile_name(lsn) AS stop FROM pg_backup_stop(false)',
  )
  const [end] = rows
  if (end === undefined) throw new Error('Postgres did not end the backup')
  return end
}
