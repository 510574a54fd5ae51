import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { startChaosProxy } from '@ratchet/testing/chaos-proxy'
import { eventually } from '@ratchet/testing/eventually'
import pg from 'pg'
import type { OnStop } from './describe-fault.ts'
import { migratedDatabase, type OwnPostgres, ownFolder, ownPostgres } from './own-stores.ts'

export interface Pair {
  readonly primary: OwnPostgres
  readonly standby: OwnPostgres
  /** The migrated database on the primary. */
  readonly databaseUrl: string
}

/** Lag of replication, milliseconds: commits that do not wait for it are lost with the primary. */
const lagMs = 20

/** Starts a primary that confirms a commit only when its standby has it. */
export async function synchronousPair(onStop: OnStop): Promise<Pair> {
  const primary = await ownPostgres(onStop)
  const databaseUrl = await migratedDatabase(primary)
  const folder = path.join(await ownFolder(onStop), 'standby')
  await primary.end('SIGINT')
  const link = await startChaosProxy({ targetPort: primary.port })
  onStop(link.stop)
  link.delay(lagMs)
  await copyCluster(primary, { folder, port: link.port })
  await primary.start()
  const standby = await ownPostgres(onStop, { folder, settings: { hot_standby: 'on' } })
  // Set later, because without a standby every commit would wait for one.
  await run(primary, `ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (*)'`, 'SELECT pg_reload_conf()')
  await eventually(async () => {
    const { rows } = await run(primary, 'SELECT sync_state FROM pg_stat_replication')
    expect(rows).toEqual([{ sync_state: 'quorum' }])
  })
  return { primary, standby, databaseUrl }
}

/** Promotes the standby. Resolves when it accepts writes. */
export async function promote({ standby }: Pick<Pair, 'standby'>): Promise<void> {
  const { rows } = await run(standby, 'SELECT pg_promote() AS promoted')
  expect(rows).toEqual([{ promoted: true }])
}

/** Copies the files of a stopped server, which is enough for a standby. */
async function copyCluster(primary: OwnPostgres, { folder, port }: { folder: string; port: number }): Promise<void> {
  // Keeps owners and rights, because Postgres refuses folders of another user.
  execFileSync('cp', ['-Rp', primary.folder, folder])
  const source = new URL(primary.url())
  const conninfo = `host=${source.hostname} port=${port} user=${source.username} password=${source.password}`
  await writeFile(path.join(folder, 'postgresql.auto.conf'), `primary_conninfo = '${conninfo}'\n`, { flag: 'a' })
  await writeFile(path.join(folder, 'standby.signal'), '')
}

/** Runs statements as the superuser; resolves with the result of the last one. */
async function run(server: OwnPostgres, ...statements: readonly string[]): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: server.url() })
  await client.connect()
  try {
    const results: pg.QueryResult[] = []
    for (const statement of statements) results.push(await client.query(statement))
    return results.at(-1) as pg.QueryResult
  } finally {
    await client.end()
  }
}
