import type { CurationFilters } from '@ratchet/contracts/datasets'
import { batchesBySize } from '../domain/batches-by-size.ts'
import type { ParsedContent, StoredExchange } from '../domain/datasets/stored-exchange.ts'
import type { ExchangeReads, Place, ReadScope } from '../domain/exchange-reads.ts'
import { filterOf } from '../domain/filter-of.ts'
import type { ExchangeContent } from '../domain/logged-exchange.ts'
import { curationBatch } from './curation-batch.ts'

export interface MatchingQuery extends ReadScope {
  readonly filters: CurationFilters
}

const rowsAtOnce = 500

/** Every exchange that matches, with its content, few of them in memory at a time; the newest first. */
export async function* matchingExchanges(
  reads: ExchangeReads,
  { filters, ...scope }: MatchingQuery,
): AsyncGenerator<StoredExchange> {
  const requested = { ...scope, filter: filterOf(filters), limit: rowsAtOnce, offset: 0 }
  let after: Place | null = null
  do {
    const rows = await reads.page({ ...requested, after })
    for (const some of batchesBySize(rows, { ...curationBatch, bytesOf: ({ sizeBytes }) => sizeBytes })) {
      const contents = await reads.contents(some)
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
    messages: JSON.parse(messages),
    response: JSON.parse(response),
    tools: tools === null ? null : JSON.parse(tools),
  }
}
