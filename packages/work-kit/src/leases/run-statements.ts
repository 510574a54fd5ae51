/**
 * A table whose rows are runs: work in steps, between which a run waits for its items. It has the columns `id`,
 * `workspace_id`, `generation`, `attempts`, `leased_until` and `created_at`. SQL of the other fields calls the row `r`.
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
  const setLeased = (
    leaseMs: string,
  ) => `UPDATE ${table} r SET generation = r.generation + 1, attempts = r.attempts + 1,
        leased_until = now() + ${leaseMs} * interval '1 millisecond'`
  const isHeld = 'r.id = $1 AND r.generation = $2'
  return {
    /** `$1` id, `$2` length of the lease in milliseconds. */
    lease: `${setLeased('$2')}
      WHERE r.id = $1 AND ${open} AND ${isFree}
      RETURNING r.*`,
    /**
     * `$1` length of the lease in milliseconds, `$2` maximum number of runs, `$3` the workspaces of the runs that the
     * process has in progress, `$4` maximum of them of one workspace.
     */
    take: `WITH found AS (
        SELECT r.id, row_number() OVER (PARTITION BY r.workspace_id ORDER BY r.created_at)
          + (SELECT count(*) FROM unnest($3::uuid[]) AS b(id) WHERE b.id = r.workspace_id) AS place
        FROM ${table} r WHERE ${open} AND ${isFree} AND ${ready}
      ), taken AS (
        SELECT r.id FROM ${table} r JOIN found f ON f.id = r.id WHERE f.place <= $4 AND ${open} AND ${isFree}
        ORDER BY f.place, r.created_at LIMIT $2 FOR UPDATE OF r SKIP LOCKED
      )
      ${setLeased('$1')} FROM taken WHERE r.id = taken.id AND ${open} AND ${isFree}
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
