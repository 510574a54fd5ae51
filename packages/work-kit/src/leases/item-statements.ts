/**
 * A table whose rows are work items. It has the columns `id`, `workspace_id`, `state` (`pending`, `leased`, `poisoned` and
 * end states), `generation`, `attempts`, `failures`, `due_at` and `last_error`. SQL of the other fields calls the row `t`.
 */
export interface ItemTable {
  readonly table: string
  /** Rows of other tables without which an item is neither leased nor found due. */
  readonly requires?: JoinedTables
  /** Rows of other tables that a lease reads as well. */
  readonly reads?: JoinedTables
  /** What a lease returns: SQL columns, `t.id`, `t.generation` and `t.failures` among them. */
  readonly leased: string
  /** Assignments that complete an item; their parameters begin with `$3`. */
  readonly completed: string
  /** Assignments when an item is dead-lettered, beside its state and error. */
  readonly deadLettered?: string
  /** Order of items that are due since the same time. */
  readonly thenBy?: string
}

export interface JoinedTables {
  /** SQL after `FROM`. */
  readonly from: string
  /** SQL condition that joins them to `t`. */
  readonly where: string
}

/** Text of each statement about the items of a table. */
export type ItemStatements = ReturnType<typeof itemStatements>

const isUnfinished = `t.state IN ('pending', 'leased')`
/** The column rounds to milliseconds, so an item that is due at once may have a time that is half of one ahead. */
const isUnfinishedAndDue = `${isUnfinished} AND t.due_at <= now() + interval '1 ms'`
const isHeld = `t.id = $1 AND t.generation = $2 AND t.state = 'leased'`
const afterMs = (parameter: string) => `now() + ${parameter} * interval '1 millisecond'`

/**
 * Writes the statements. A lease is a time until which the row is not due; it uses the clock of the database, so the
 * clocks of processes need not agree. `generation` is the fencing token.
 */
export function itemStatements({ table, leased, completed, ...more }: ItemTable) {
  const { requires, reads, deadLettered, thenBy } = more
  const joined = [requires, reads].filter((each) => each !== undefined)
  const froms = joined.map(({ from }) => from)
  const wheres = joined.map(({ where }) => ` AND ${where}`).join('')
  const setLeased = (leaseMs: string) => `UPDATE ${table} t SET state = 'leased', generation = t.generation + 1,
        attempts = t.attempts + 1, due_at = ${afterMs(leaseMs)}`
  const order = `t.due_at${thenBy === undefined ? '' : `, ${thenBy}`}`
  const dueFrom = [`${table} t`, ...(requires === undefined ? [] : [requires.from])].join(', ')
  const isDue = `${isUnfinishedAndDue}${requires === undefined ? '' : ` AND ${requires.where}`}`
  const whenDeadLettered = deadLettered === undefined ? '' : `, ${deadLettered}`
  return {
    /** `$1` id, `$2` length of the lease in milliseconds. */
    lease: `${setLeased('$2')}
      ${froms.length === 0 ? '' : `FROM ${froms.join(', ')}`}
      WHERE t.id = $1 AND ${isUnfinishedAndDue}${wheres}
      RETURNING ${leased}`,
    /**
     * `$1` length of the lease in milliseconds, `$2` maximum number of items, `$3` the workspaces of the items that the
     * process has in progress, `$4` maximum of them of one workspace, `$5` number of leases after which an item is left
     * for `deadLetterAbandoned`. It finds the workspaces one by one in an index on them, because one may have many
     * thousand items. It reads more items of each than needed, because other workers have just locked some.
     */
    take: `WITH RECURSIVE workspace AS (
        (SELECT t.workspace_id AS id FROM ${table} t WHERE ${isUnfinished} ORDER BY t.workspace_id LIMIT 1)
        UNION ALL
        SELECT later.id FROM workspace w, LATERAL (SELECT t.workspace_id AS id FROM ${table} t
          WHERE ${isUnfinished} AND t.workspace_id > w.id ORDER BY t.workspace_id LIMIT 1) AS later
      ), found AS (
        SELECT due.id, due.due_at, due.place + (SELECT count(*) FROM unnest($3::uuid[]) AS b(id) WHERE b.id = w.id) AS place
        FROM workspace w, LATERAL (SELECT t.id, t.due_at, row_number() OVER (ORDER BY ${order}) AS place FROM ${dueFrom}
          WHERE t.workspace_id = w.id AND ${isDue} AND (t.state = 'pending' OR t.attempts < $5)
          ORDER BY ${order} LIMIT 2 * $2 + 8) AS due
      ), taken AS (
        SELECT t.id FROM ${table} t JOIN found f ON f.id = t.id WHERE f.place <= $4 AND ${isUnfinishedAndDue}
        ORDER BY f.place, f.due_at LIMIT $2 FOR UPDATE OF t SKIP LOCKED
      )
      ${setLeased('$1')} FROM ${['taken', ...froms].join(', ')}
      WHERE t.id = taken.id AND ${isUnfinishedAndDue}${wheres}
      RETURNING ${leased}`,
    /** `$1` id, `$2` generation, `$3` length of the lease in milliseconds. */
    renew: `UPDATE ${table} t SET due_at = ${afterMs('$3')} WHERE ${isHeld}`,
    /** `$1` id, `$2` generation, then the parameters of the assignments. */
    complete: `UPDATE ${table} t SET ${completed}, last_error = NULL WHERE ${isHeld}`,
    /** `$1` id, `$2` generation, `$3` delay in milliseconds, `$4` error, `$5` failures to add. */
    retry: `UPDATE ${table} t SET state = 'pending', due_at = ${afterMs('$3')}, last_error = $4,
        attempts = t.attempts - 1, failures = t.failures + $5
      WHERE ${isHeld}`,
    /** `$1` id, `$2` generation, `$3` error. */
    deadLetter: `UPDATE ${table} t SET state = 'poisoned', last_error = $3, attempts = t.attempts - 1,
        failures = t.failures + 1${whenDeadLettered}
      WHERE ${isHeld}`,
    /** `$1` number of leases, `$2` error. */
    deadLetterAbandoned: `UPDATE ${table} t SET state = 'poisoned', last_error = $2${whenDeadLettered}
      WHERE t.state = 'leased' AND t.due_at <= now() AND t.attempts >= $1`,
    /** `$1` maximum number of ids. */
    overdue: `SELECT t.id FROM ${dueFrom} WHERE ${isDue} ORDER BY ${order} LIMIT $1`,
  }
}
