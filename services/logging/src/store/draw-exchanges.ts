import type { SampleRequest } from '../domain/exchange-picks.ts'
import type { LoggedExchange } from '../domain/logged-exchange.ts'
import { conditionsOf, createBindings } from './exchange-conditions.ts'
import { type ExchangeRow, exchangeColumns, exchangeOf } from './exchange-row.ts'
import type { RunRead } from './run-read.ts'

/** What a row is found by again. */
export interface DrawnKey {
  readonly id: string
  /** On which it expires. */
  readonly day: string
}

export interface Draw {
  /** Exchanges that match. */
  readonly total: number
  /** As many of them as are wanted, in an order that the seed decides. */
  readonly keys: readonly DrawnKey[]
}

interface DrawnRow extends DrawnKey {
  readonly total: number
}

/** Goes by what the index of a filter knows of each row: the rows themselves are read once it is clear which. */
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

/** In their order; what is gone meanwhile is missing. */
export async function drawnExchanges(run: RunRead, keys: readonly DrawnKey[]): Promise<readonly LoggedExchange[]> {
  return (await run<ExchangeRow>(statementOf(exchangeColumns), valuesOf(keys))).map(exchangeOf)
}

export interface DrawnPrompt extends DrawnKey {
  /** Tells prompts apart. */
  readonly prompt: string
}

/** The same. */
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
