import type { LoggedExchange } from '../exchanges/logged-exchange.ts'
import { createBindings } from '../exchanges/pg-exchange-conditions.ts'
import { type ExchangeRow, exchangeColumns, exchangeOf } from '../exchanges/pg-exchange-row.ts'
import type { RunStatement } from '../exchanges/pg-run-read.ts'
import { matchConditions } from '../logs/pg-search-keys.ts'
import type { SampleRequest } from './exchange-picks.ts'

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

/** Draws keys among all matches; the drawn rows are read afterwards. */
export async function drawExchanges(run: RunStatement, { count, seed, ...requested }: SampleRequest): Promise<Draw> {
  const bindings = createBindings()
  const { bind, values } = bindings
  const conditions = await matchConditions(run, requested, bindings)
  const text = `
    SELECT e.id, (e.expires_at AT TIME ZONE 'UTC')::date::text AS day, (count(*) OVER ())::int AS total
    FROM exchange e WHERE ${conditions}
    ORDER BY uuid_hash_extended(e.id, ${bind(seed)}::bigint), e.id LIMIT ${bind(count)}`
  const keys = await run<DrawnRow>({ text, values })
  return { total: keys[0]?.total ?? 0, keys }
}

/** The exchanges in the order of the keys; those that were deleted meanwhile are missing. */
export async function drawnExchanges(run: RunStatement, keys: readonly DrawnKey[]): Promise<readonly LoggedExchange[]> {
  return (await run<ExchangeRow>({ text: statementOf(exchangeColumns), values: valuesOf(keys) })).map(exchangeOf)
}

export interface DrawnPrompt extends DrawnKey {
  /** Hash of the prompt, in hex. */
  readonly prompt: string
}

/** The prompt hashes in the order of the keys; exchanges that were deleted meanwhile are missing. */
export function drawnPrompts(run: RunStatement, keys: readonly DrawnKey[]): Promise<readonly DrawnPrompt[]> {
  const text = statementOf(`k.id, k.day::text, encode(e.prompt_hash, 'hex') AS prompt`)
  return run({ text, values: valuesOf(keys) })
}

function statementOf(columns: string): string {
  return `SELECT ${columns} FROM unnest($1::date[], $2::uuid[]) WITH ORDINALITY AS k(day, id, place)
    JOIN exchange e ON e.expires_on = k.day AND e.id = k.id ORDER BY k.place`
}

function valuesOf(keys: readonly DrawnKey[]): readonly unknown[] {
  return [keys.map(({ day }) => day), keys.map(({ id }) => id)]
}
