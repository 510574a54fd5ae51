import { zstdDecompressSync } from 'node:zlib'
import type { Pool } from '@ratchet/db/connect-pool'
import { Redis } from 'ioredis'

export interface StoredText {
  readonly table: string
  /** A complete row; the content of byte columns is added as text. */
  readonly text: string
}

/** Reads every row of every table that a role may write to. */
export async function everyStoredText(pool: Pool, role: string): Promise<readonly StoredText[]> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT DISTINCT table_name AS name FROM information_schema.role_table_grants
     WHERE grantee = $1 AND privilege_type = 'INSERT' AND table_schema = 'public' ORDER BY 1`,
    [role],
  )
  return rowsOf(
    pool,
    tables.map(({ name }) => name),
  )
}

/** Reads every row of every table. */
export async function everyRow(pool: Pool): Promise<readonly StoredText[]> {
  const { rows: tables } = await pool.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1",
  )
  return rowsOf(
    pool,
    tables.map(({ name }) => name),
  )
}

async function rowsOf(pool: Pool, tables: readonly string[]): Promise<readonly StoredText[]> {
  const texts: StoredText[] = []
  for (const name of tables) {
    const { rows } = await pool.query<{ row: string }>(`SELECT t::text AS row FROM "${name}" t`)
    texts.push(...rows.map(({ row }) => ({ table: name, text: `${row} ${spelledBytes(row)}` })))
  }
  return texts
}

/** Postgres writes bytes as `\x` and hex. */
function spelledBytes(row: string): string {
  return [...row.matchAll(/\\x((?:[0-9a-f]{2})+)/g)]
    .map(([, hex = '']) => uncompressed(Buffer.from(hex, 'hex')))
    .join(' ')
}

/** The log compresses contents by zstd, whose first bytes are always the same. */
function uncompressed(bytes: Buffer): string {
  return (bytes.toString('hex', 0, 4) === '28b52ffd' ? zstdDecompressSync(bytes) : bytes).toString()
}

type Read = (redis: Redis, key: string) => Promise<unknown>

const readers: Readonly<Record<string, Read>> = {
  string: (redis, key) => redis.get(key),
  list: (redis, key) => redis.lrange(key, '0', '-1'),
  set: (redis, key) => redis.smembers(key),
  zset: (redis, key) => redis.zrange(key, '0', '-1'),
  hash: (redis, key) => redis.hgetall(key),
  stream: (redis, key) => redis.xrange(key, '-', '+'),
}

/** Reads every key of a Redis database with its value, as JSON. */
export async function everyRedisValue(url: string): Promise<readonly string[]> {
  const redis = new Redis(url)
  try {
    const values: string[] = []
    for (const key of await redis.keys('*')) {
      const read = readers[await redis.type(key)]
      values.push(JSON.stringify([key, read === undefined ? null : await read(redis, key)]))
    }
    return values
  } finally {
    redis.disconnect()
  }
}
