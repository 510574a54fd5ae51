import { mebibyte } from '@ratchet/contracts/byte-sizes'
import type { Pool } from '@ratchet/db/connect-pool'
import { isLockTimeout } from '@ratchet/db/is-lock-timeout'

export interface RewriteOptions {
  /** Partitions are written again when their oldest deletion is not later than this. */
  readonly before: Date
  /** Replaces the limits of all tables. */
  readonly maxBytes?: number
}

/** A partition of the log. */
export interface LogPartition {
  readonly table: string
  readonly day: string
}

export interface RewriteReport {
  /** Partitions that contain nothing of deleted exchanges any more. */
  readonly rewritten: readonly LogPartition[]
  /** Partitions that stay as they are until they are dropped. */
  readonly tooLarge: readonly LogPartition[]
  /** Partitions that were in use, or of which an older transaction may read what was deleted. They are tried again. */
  readonly busy: readonly LogPartition[]
}

interface DayRow {
  readonly day: string
  readonly ids: readonly string[]
}

type Outcome = 'rewritten' | 'too_large' | 'missing' | 'busy'

/**
 * The contents are first, because deletions are mainly for them. Larger partitions are not written again, because a partition
 * can be neither read nor written during that: a few seconds for so many bytes, most of them for the index of words.
 */
const tables = [
  { table: 'exchange_block', maxTableBytes: 128 * mebibyte },
  { table: 'exchange_content', maxTableBytes: 128 * mebibyte },
  { table: 'exchange', maxTableBytes: 32 * mebibyte },
] as const

/**
 * Writes partitions again from which exchanges were deleted, so that their files have nothing left of them. A partition
 * whose day of expiry has come is dropped soon, and is left as it is. Concurrent calls do no harm.
 */
export async function rewriteAfterDeletions(pool: Pool, { before, maxBytes }: RewriteOptions): Promise<RewriteReport> {
  await pool.query('DELETE FROM log_erasure WHERE expires_on <= CURRENT_DATE')
  const { rows } = await pool.query<DayRow>(
    `SELECT expires_on::text AS day, array_agg(id::text) AS ids FROM log_erasure
     GROUP BY expires_on HAVING min(deleted_at) <= $1 ORDER BY expires_on`,
    [before],
  )
  const partitions: (LogPartition & { readonly outcome: Outcome })[] = []
  for (const { day, ids } of rows) {
    const ofDay: typeof partitions = []
    for (const { table, maxTableBytes } of tables)
      ofDay.push({ table, day, outcome: await rewrite(pool, { table, day }, maxBytes ?? maxTableBytes) })
    partitions.push(...ofDay)
    // Only the deletions that were read: a later one may have come after its table was written.
    if (ofDay.every(({ outcome }) => outcome !== 'busy'))
      await pool.query('DELETE FROM log_erasure WHERE id = ANY($1::bigint[])', [ids])
  }
  const having = (requested: Outcome) =>
    partitions.flatMap(({ table, day, outcome }) => (outcome === requested ? [{ table, day }] : []))
  return { rewritten: having('rewritten'), tooLarge: having('too_large'), busy: having('busy') }
}

/**
 * Begins a new file of Postgres' write-ahead log. When all its files were used again, none has deleted rows any more.
 *
 * @returns false where the operator's Postgres does not allow it
 */
export async function beginWalFile(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ began: boolean }>('SELECT begin_wal_file() AS began')
  return rows[0]?.began === true
}

async function rewrite(pool: Pool, { table, day }: LogPartition, maxBytes: number): Promise<Outcome> {
  try {
    const text = 'SELECT rewrite_exchange_partition($1, $2, $3) AS outcome'
    const { rows } = await pool.query<{ outcome: Outcome }>(text, [table, day, maxBytes])
    return rows[0]?.outcome ?? 'missing'
  } catch (error) {
    if (isLockTimeout(error)) return 'busy'
    throw error
  }
}
