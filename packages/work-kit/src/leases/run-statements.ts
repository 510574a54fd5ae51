/**
 * A table whose rows are runs: work in steps, between which a run waits for its items. It has the columns `id`,
 * `generation`, `attempts`, `leased_until` and `created_at`. SQL of the other fields calls the row `r`.
 */
export interface RunTable {
  readonly table: string
  /** SQL condition: the run has not ended. */
  readonly open: string
  /** SQL condition: the run waits for none of its items. */
  readonly ready: string
}

/** Text of each statement about the runs of a table. */
export function runStatements({ table, open, ready }: RunTable) {
  const isFree = '(r.leased_until IS NULL OR r.leased_until <= now())'
  const isHeld = 'r.id = $1 AND r.generation = $2'
  return {
    /** `$1` id, `$2` length of the lease in milliseconds. */
    lease: `UPDATE ${table} r SET generation = r.generation + 1, attempts = r.attempts + 1,
        leased_until = now() + $2 * interval '1 millisecond'
      WHERE r.id = $1 AND ${open} AND ${isFree}
      RETURNING r.*`,
    /** `$1` id, `$2` generation, `$3` length of the lease in milliseconds. */
    renew: `UPDATE ${table} r SET leased_until = now() + $3 * interval '1 millisecond'
      WHERE ${isHeld} AND r.leased_until IS NOT NULL`,
    /** `$1` id, `$2` generation, `$3` delay in milliseconds, `$4` attempts to subtract. */
    release: `UPDATE ${table} r SET leased_until = now() + $3 * interval '1 millisecond', attempts = r.attempts - $4
      WHERE ${isHeld}`,
    /** `$1` maximum number of ids. */
    ready: `SELECT r.id FROM ${table} r WHERE ${open} AND ${isFree} AND ${ready} ORDER BY r.created_at LIMIT $1`,
  }
}
