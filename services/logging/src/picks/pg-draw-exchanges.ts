import type { ExchangeFilter, ReadScope } from '../exchanges/exchange-reads.ts'
import type { LoggedExchange } from '../exchanges/logged-exchange.ts'
import { conditionsOf, createBindings } from '../exchanges/pg-exchange-conditions.ts'
import { type ExchangeRow, exchangeColumns, exchangeOf } from '../exchanges/pg-exchange-row.ts'
import type { RunRead } from '../exchanges/pg-run-read.ts'

export interface SampleRequest extends ReadScope {
  readonly filter: ExchangeFilter
  readonly count: number
  readonly seed: number
}

/** The keys that find a row again. */
export interface DrawnKey {
  readonly id: string
  /** Its day of expiry. */
  readonly day: string
}

export interface Draw {
  /** Number of matching exchanges. */
  readonly total: number
  /** The requested number of them, in an order that the seed determines. */
  readonly keys: readonly DrawnKey[]
}

interface DrawnRow extends DrawnKey {
  readonly total: number
}

/** Draws in the index of a filter; the drawn rows are read afterwards. */
export async function drawExchanges(run: RunRead, { filter, count, seed, ...scope }: SampleRequest): Promise<Draw> {
  const bindings = createBindings()
  const conditions = conditionsOf({ ...scope, filter }, bindings)
  const keys = await run<DrawnRow>(
    `SELECT e.id, (e.expires_at AT TIME ZONE 'UTC')::date::text AS day, (count(*) OVER ())::int AS total
     FROM exchange e WHERE ${conditions}
     ORDER BY uuid_hash_extended(e.id, ${bindings.bind(seed)}::bigint), e.id LIMIT ${bindings.bind(count)}`,
    bindings.values,
  )
  return { total: keys[0]?.total ?? 0, keys }
}

/** The exchanges in the order of the keys; those that were deleted meanwhile are missing. */
export async function drawnExchanges(run: RunRead, keys: readonly DrawnKey[]): Promise<readonly LoggedExchange[]> {
  return (await run<ExchangeRow>(statementOf(exchangeColumns), valuesOf(keys))).map(exchangeOf)
}

export interface DrawnPrompt extends DrawnKey {
  /** Hash of the prompt, in hex. */
  readonly prompt: string
}

/** The prompt hashes in the order of the keys; exchanges that were deleted meanwhile are missing. */
export function drawnPrompts(run: RunRead, keys: readonly DrawnKey[]): Promise<readonly DrawnPrompt[]> {
  return run(statementOf(`k.id, k.day::text, encode(e.prompt_hash, 'hex') AS prompt`), valuesOf(keys))
}

function statementOf(columns: string): string {
  return `SELECT ${columns} FROM unnest($1::date[], $2::uuid[]) WITH ORDINALITY AS k(day, id, place)
    JOIN exchange e ON e.expires_on = k.day AND e.id = k.id ORDER BY k.place`
}

function valuesOf(keys: readonly DrawnKey[]): readonly unknown[] {
  return [keys.map(({ day }) => day), keys.map(({ id }) => id)]
}
