import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import { type Erasure, type ErasureStep, ErasureWaits } from './erasure.ts'

export interface RowsToErase {
  readonly kind: string
  readonly table: string
  /** Columns that identify a row. */
  readonly key: string
  /**
   * A condition on the row `t`. `$1` is the id of the erasure, `$2` that of the workspace, `$3` the person's id and `$4` the person's
   * name. When rows stay, it is false for those that are done.
   */
  readonly where: string
  /** The new values of a row that stays; absent: the row is deleted. */
  readonly set?: string
}

const rowsPerBatch = 500

/** A step whose rows SQL finds and erases. */
export function rowStep(pool: Pick<Pool, 'query'>, rows: RowsToErase): ErasureStep {
  const { kind, table, key, set } = rows
  // Every parameter is used, so that Postgres knows its type.
  const where = `$1::uuid IS NOT NULL AND $2::uuid IS NOT NULL AND $3::uuid IS NOT NULL AND $4::text IS NOT NULL AND (${rows.where})`
  const chosen = `(${key}) IN (SELECT ${key} FROM ${table} t WHERE ${where} LIMIT ${rowsPerBatch})`
  const change =
    set === undefined ? `DELETE FROM ${table} WHERE ${chosen}` : `UPDATE ${table} SET ${set} WHERE ${chosen}`
  return {
    kind,
    async count(erasure) {
      const text = `SELECT count(*)::int AS count FROM ${table} t WHERE ${where}`
      const counted = await pool.query<{ count: number }>(text, valuesOf(erasure))
      return counted.rows[0]?.count ?? 0
    },
    async erase(client: PoolClient, erasure) {
      return (await client.query(change, valuesOf(erasure))).rowCount ?? 0
    },
  }
}

/** What must have ended before rows are erased. */
export interface Running {
  /** Selects a row while something runs. `$1` is the id of the erasure, `$2` that of the workspace. */
  readonly select: string
  /** What runs, as people read it. */
  readonly what: string
}

/** The same step, whose rows wait while something runs that needs them. */
export function waitingStep(pool: Pick<Pool, 'query'>, step: ErasureStep, { select, what }: Running): ErasureStep {
  return {
    ...step,
    async erase(client, erasure) {
      const { rowCount } = await pool.query(`${select} LIMIT 1`, [erasure.id, erasure.workspaceId])
      if (rowCount !== 0) throw new ErasureWaits(what)
      return step.erase(client, erasure)
    },
  }
}

/** The first answers to requests that may be repeated. */
export function firstAnswersIn(table: string): RowsToErase {
  const where = `t.workspace_id = $2 AND ${namesPerson('t.answer')}`
  return { kind: 'first_answers', table, key: 'workspace_id, id', where }
}

/** Events that were not sent to webhooks yet. */
export function eventsToSendIn(table: string): RowsToErase {
  const where = `t.workspace_id = $2 AND ${namesPerson('t.data')}`
  return { kind: 'events_to_send', table, key: 'id', where }
}

export interface Reference {
  readonly kind: 'request' | 'log' | 'trace' | 'snapshot' | 'sample' | 'call' | 'dataset' | 'run' | 'prompt'
  /** Selects one column, with the parameters of {@link RowsToErase.where}. */
  readonly select: string
}

/** Adds what the statements select to the references. */
export async function addReferences(
  pool: Pick<Pool, 'query'>,
  erasure: Erasure,
  references: readonly Reference[],
): Promise<void> {
  for (const { kind, select } of references) {
    const text = `INSERT INTO erasure_reference (erasure_id, kind, value)
      SELECT DISTINCT $1::uuid, '${kind}', found.value FROM (${select}) AS found(value)
      WHERE found.value IS NOT NULL AND $2::uuid IS NOT NULL AND $3::uuid IS NOT NULL AND $4::text IS NOT NULL
      ON CONFLICT DO NOTHING`
    await pool.query(text, valuesOf(erasure))
  }
}

/** Adds these values to the references. */
export async function addValues(
  pool: Pick<Pool, 'query'>,
  { id }: Erasure,
  kind: Reference['kind'],
  values: readonly string[],
): Promise<void> {
  const text = `INSERT INTO erasure_reference (erasure_id, kind, value) SELECT $1, $2, unnest($3::text[]) ON CONFLICT DO NOTHING`
  await pool.query(text, [id, kind, values])
}

/** A condition: the column has a reference of this kind. */
export function isReferenced(column: string, ...kinds: readonly Reference['kind'][]): string {
  const list = kinds.map((kind) => `'${kind}'`).join(', ')
  return `${column} IN (SELECT r.value FROM erasure_reference r WHERE r.erasure_id = $1 AND r.kind IN (${list}))`
}

/** The same for a column of UUIDs. */
export function isReferencedId(column: string, ...kinds: readonly Reference['kind'][]): string {
  const list = kinds.map((kind) => `'${kind}'`).join(', ')
  return `${column} IN (SELECT r.value::uuid FROM erasure_reference r WHERE r.erasure_id = $1 AND r.kind IN (${list}))`
}

/** A condition: the text has the name of the person, or the id of something of the person. */
export function namesPerson(column: string): string {
  return `names_person($1, ${column}::text)`
}

function valuesOf({ id, workspaceId, personId, person }: Erasure): unknown[] {
  return [id, workspaceId, personId, person]
}
