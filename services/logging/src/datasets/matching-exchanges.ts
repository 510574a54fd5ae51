import { mebibyte } from '@ratchet/contracts/byte-sizes'
import type { CurationFilters } from '@ratchet/contracts/datasets'
import { parseExact } from '@ratchet/service-kit/values/exact-json'
import { batchesBySize } from '../exchanges/batches-by-size.ts'
import type { ExchangeReads, Place, ReadScope } from '../exchanges/exchange-reads.ts'
import type { ExchangeContent } from '../exchanges/logged-exchange.ts'
import { filterOf } from '../logs/filter-of.ts'

import type { ParsedContent, StoredExchange } from './stored-exchange.ts'

export interface MatchingQuery extends ReadScope {
  readonly filters: CurationFilters
}

/** Limits of the content that a curation reads at a time. */
export const curationBatch = { maxBytes: 8 * mebibyte, maxItems: 200 }
const rowsAtOnce = 500

/** Every matching exchange with its content, the newest first. Reads in batches to save memory. */
export async function* matchingExchanges(
  reads: ExchangeReads,
  { filters, ...scope }: MatchingQuery,
): AsyncGenerator<StoredExchange> {
  const requested = { ...scope, filter: filterOf(filters), limit: rowsAtOnce, offset: 0 }
  let after: Place | null = null
  do {
    const rows = await reads.page({ ...requested, after })
    for (const some of batchesBySize(rows, { ...curationBatch, bytesOf: ({ sizeBytes }) => sizeBytes })) {
      const contents = await reads.contents(scope, some)
      for (const row of some) {
        const content = contents.get(row.id)
        if (content !== undefined) yield { ...row, ...parseContent(content) }
      }
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
