import { mebibyte } from '@ratchet/contracts/byte-sizes'
import type { CurationFilters } from '@ratchet/contracts/curation-filters'
import { parseExact } from '@ratchet/service-kit/values/exact-json'
import { batchesBySize } from '../exchanges/batches-by-size.ts'
import type { ExchangeReads, Place, ReadScope } from '../exchanges/exchange-reads.ts'
import type { ExchangeContent } from '../exchanges/logged-exchange.ts'
import { filterOf } from '../logs/filter-of.ts'

import type { CuratedRow, ParsedContent } from './stored-exchange.ts'

export interface MatchingQuery extends ReadScope {
  readonly filters: CurationFilters
}

/** Limits of the content that a curation reads at a time. */
export const curationBatch = { maxBytes: 8 * mebibyte, maxItems: 200 }
const rowsAtOnce = 500

/** A row with its content, which is not parsed yet. */
export interface MatchingExchange {
  readonly row: CuratedRow
  readonly content: ExchangeContent
}

/** Every matching exchange with its content, the newest first, in batches to save memory. */
export async function* matchingExchanges(
  reads: ExchangeReads,
  { filters, ...scope }: MatchingQuery,
): AsyncGenerator<readonly MatchingExchange[]> {
  const requested = { ...scope, filter: filterOf(filters), limit: rowsAtOnce, offset: 0 }
  let after: Place | null = null
  do {
    const rows = await reads.page({ ...requested, after })
    for (const some of batchesBySize(rows, { ...curationBatch, bytesOf: ({ sizeBytes }) => sizeBytes })) {
      const contents = await reads.contents(scope, some)
      yield some.flatMap((row) => {
        const content = contents.get(row.id)
        return content === undefined ? [] : [{ row, content }]
      })
    }
    after = rows.length < rowsAtOnce ? null : (rows.at(-1) ?? null)
  } while (after !== null)
}

export function parseContent({ messages, response, tools }: ExchangeContent): ParsedContent {
  return {
    messages: parseExact(messages) as ParsedContent['messages'],
    response: parseExact(response) as ParsedContent['response'],
    tools: tools === null ? null : (parseExact(tools) as ParsedContent['tools']),
  }
}
