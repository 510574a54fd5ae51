import type { ExchangeFilter, PageRequest, ReadScope } from '../domain/exchange-reads.ts'
import { type Bindings, behind, conditionsOf, createBindings } from './exchange-conditions.ts'
import type { ExchangeRow } from './exchange-row.ts'
import type { ReadStatement, RunStatement } from './run-read.ts'

type Wanted = ReadScope & { readonly filter: ExchangeFilter & { readonly words: string } }
type WantedPage = Wanted & Pick<PageRequest, 'limit' | 'offset' | 'after'>

/** Exchanges that hold words, the newest first. */
export interface WordSearch {
  page(request: WantedPage): Promise<readonly ExchangeRow[]>
  count(request: Wanted & { readonly most: number }): Promise<number>
}

interface Key {
  readonly day: string
  readonly id: string
}

interface Day {
  readonly day: string
  readonly newest: Date
}

/** Up to so many exchanges that hold the words are looked at one by one. */
const fewExchanges = 2_000

/** Frequent words are counted up to here. */
const mostCounted = 200

/**
 * Rare words are found first and then looked up; frequent ones are looked for in one partition after another, from the
 * one with the newest exchange on, until no other can hold anything newer.
 */
export function createWordSearch(run: RunStatement): WordSearch {
  const keysWith = sharedWhileRunning((words) => findKeys(run, words))
  return {
    async page(request) {
      const keys = await keysWith(request.filter.words)
      return keys === null ? pageByDays(run, request) : run<ExchangeRow>(pageOfKeys(request, keys))
    },
    async count(request) {
      const keys = await keysWith(request.filter.words)
      return keys === null ? countByDays(run, request) : countKeys(run, request, keys)
    },
  }
}

const holdsWords = "exchange_words(c.messages, c.response) @@ plainto_tsquery('pg_catalog.simple', "

/** All exchanges that hold the words, of any workspace; null when they are many. */
async function findKeys(run: RunStatement, words: string): Promise<readonly Key[] | null> {
  const text = `SELECT c.expires_on::text AS day, c.id FROM exchange_content c WHERE ${holdsWords}$1) LIMIT $2`
  const keys = await run<Key>({ text, values: [words, fewExchanges + 1] })
  return keys.length > fewExchanges ? null : keys
}

/** A page and its total ask for the same at the same time. */
function sharedWhileRunning<T>(find: (words: string) => Promise<T>): (words: string) => Promise<T> {
  const running = new Map<string, Promise<T>>()
  return (words) => {
    const known = running.get(words)
    if (known !== undefined) return known
    const found = find(words).finally(() => running.delete(words))
    running.set(words, found)
    return found
  }
}

function amongKeys(wanted: Wanted, keys: readonly Key[], { values, bind }: Bindings): string {
  const days = bind(keys.map(({ day }) => day))
  const ids = bind(keys.map(({ id }) => id))
  return `
    FROM unnest(${days}::date[], ${ids}::uuid[]) AS k(day, id)
    JOIN exchange e ON e.expires_on = k.day AND e.id = k.id
    WHERE ${conditionsOf(wanted, { values, bind })}`
}

function pageOfKeys(request: WantedPage, keys: readonly Key[]): ReadStatement {
  const bindings = createBindings()
  const text = `SELECT e.* ${amongKeys(request, keys, bindings)} ${pageEnd(request, bindings)}`
  return { text, values: bindings.values }
}

async function countKeys(run: RunStatement, { most, ...wanted }: Wanted & { most: number }, keys: readonly Key[]) {
  const bindings = createBindings()
  const text = `SELECT count(*)::int AS count ${amongKeys(wanted, keys, bindings)}`
  const [row] = await run<{ count: number }>({ text, values: bindings.values })
  return Math.min(row?.count ?? 0, most)
}

/** The days on which anything of the workspace expires, the one with its newest exchange first. */
async function daysOf(run: RunStatement, { workspaceId, at }: ReadScope): Promise<readonly Day[]> {
  const text = `
    SELECT * FROM (
      SELECT day::date::text AS day, (
        SELECT max(e.created_at) FROM exchange e WHERE e.workspace_id = $1 AND e.expires_on = day::date
      ) AS newest
      FROM generate_series($2::date, $2::date + 100, '1 day') day
    ) days WHERE newest IS NOT NULL ORDER BY newest DESC`
  return run<Day>({ text, values: [workspaceId, at.toISOString().slice(0, 10)], isPrepared: true })
}

/** Looks for the words first: checking them for exchanges one by one takes far longer than finding them. */
function onDay(
  wanted: Wanted,
  { day, selected }: { readonly day: string; readonly selected: string },
  bindings: Bindings,
): string {
  const on = bindings.bind(day)
  return `
    WITH matching AS MATERIALIZED (
      SELECT c.id FROM exchange_content c
      WHERE c.expires_on = ${on}::date AND ${holdsWords}${bindings.bind(wanted.filter.words)})
    )
    SELECT ${selected} FROM matching JOIN exchange e ON e.expires_on = ${on}::date AND e.id = matching.id
    WHERE ${conditionsOf(wanted, bindings)}`
}

async function pageByDays(run: RunStatement, request: WantedPage): Promise<readonly ExchangeRow[]> {
  const wanted = request.offset + request.limit
  let found: readonly ExchangeRow[] = []
  for (const { day, newest } of await daysOf(run, request)) {
    const oldest = found[wanted - 1]
    if (oldest !== undefined && newest < oldest.created_at) break
    const bindings = createBindings()
    const end = pageEnd({ ...request, limit: wanted, offset: 0 }, bindings)
    const text = `${onDay(request, { day, selected: 'e.*' }, bindings)} ${end}`
    const rows = await run<ExchangeRow>({ text, values: bindings.values })
    found = [...found, ...rows].sort(newestFirst).slice(0, wanted)
  }
  return found.slice(request.offset)
}

async function countByDays(run: RunStatement, { most, ...wanted }: Wanted & { most: number }): Promise<number> {
  const bound = Math.min(most, mostCounted)
  let count = 0
  for (const { day } of await daysOf(run, wanted)) {
    if (count >= bound) break
    const bindings = createBindings()
    const some = `${onDay(wanted, { day, selected: '1' }, bindings)} LIMIT ${bindings.bind(bound - count)}`
    const text = `SELECT count(*)::int AS count FROM (${some}) found`
    const [row] = await run<{ count: number }>({ text, values: bindings.values })
    count += row?.count ?? 0
  }
  return count
}

function pageEnd({ after, limit, offset }: Omit<WantedPage, keyof Wanted>, bindings: Bindings): string {
  const from = after === null ? '' : `AND ${behind(after, bindings)}`
  return `${from} ORDER BY e.created_at DESC, e.id DESC LIMIT ${bindings.bind(limit)} OFFSET ${bindings.bind(offset)}`
}

function newestFirst(a: ExchangeRow, b: ExchangeRow): number {
  return b.created_at.getTime() - a.created_at.getTime() || (a.id < b.id ? 1 : -1)
}
