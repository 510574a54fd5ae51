import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { anyFreePort } from '@ratchet/service-kit/process/any-free-port'
import pg from 'pg'
import { type RunningPostgres, startPostgres } from './start-postgres.ts'

/** Each start of a server takes up to a second, more on a busy machine. */
const timeoutMs = 60_000

let parent = ''
let folder = ''
let running: RunningPostgres | null = null

beforeEach(() => {
  parent = mkdtempSync(path.join(tmpdir(), 'start-postgres-'))
  chmodSync(parent, 0o711)
  folder = path.join(parent, 'postgres')
})

afterEach(async () => {
  await running?.stop()
  running = null
  rmSync(parent, { recursive: true, force: true })
}, timeoutMs)

async function start(): Promise<RunningPostgres> {
  running = await startPostgres({ folder, port: await anyFreePort(), password: 'pass/word' })
  return running
}

async function query(server: RunningPostgres, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: server.url() })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

it(
  'keeps committed data when the server is killed',
  async () => {
    const before = await start()
    await query(before, 'CREATE TABLE note (text text); INSERT INTO note VALUES (1)')
    before.signal('SIGKILL')
    await before.exited
    const after = await start()
    expect(await query(after, 'SELECT text FROM note')).toEqual([{ text: '1' }])
  },
  timeoutMs,
)

it(
  'replaces a server that was left running on the folder',
  async () => {
    const left = await start()
    await query(left, 'CREATE TABLE note (text text)')
    const next = await start()
    await left.exited
    expect(await query(next, 'SELECT count(*) FROM note')).toEqual([{ count: '0' }])
  },
  timeoutMs,
)

it(
  'ignores a lock file whose process id belongs to another program now',
  async () => {
    await (await start()).stop()
    writeFileSync(path.join(folder, 'postmaster.pid'), `${process.pid}\n/somewhere/else\n`)
    expect(await query(await start(), 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  },
  timeoutMs,
)

it(
  'starts after an earlier start was interrupted',
  async () => {
    await (await start()).stop()
    rmSync(path.join(folder, 'PG_VERSION'))
    expect(await query(await start(), 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  },
  timeoutMs,
)

it(
  'refuses data of another major version with a message',
  async () => {
    await (await start()).stop()
    running = null
    writeFileSync(path.join(folder, 'PG_VERSION'), '17\n')
    await expect(start()).rejects.toThrow(/was written by Postgres 17; this release has 18/)
    expect(existsSync(folder)).toBe(true)
  },
  timeoutMs,
)

it(
  'sorts text the same on every machine and uses UTC',
  async () => {
    const server = await start()
    expect(await query(server, "SELECT 'a' < 'B' AS sorted, current_setting('TimeZone') AS zone")).toEqual([
      { sorted: false, zone: 'UTC' },
    ])
    expect(
      await query(
        server,
        "SELECT upper('é') AS upper, pg_encoding_to_char(encoding) AS encoding FROM pg_database LIMIT 1",
      ),
    ).toEqual([{ upper: 'É', encoding: 'UTF8' }])
  },
  timeoutMs,
)
