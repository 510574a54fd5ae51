import { batchesBySize } from './batches-by-size.ts'
import type { ExchangeReads, PageRequest, ReadScope } from './exchange-reads.ts'
import { logEntryJson, logRowOf } from './log-row.ts'
import type { LoggedExchange } from './logged-exchange.ts'
import { trainingLine } from './training-line.ts'

/** Exchanges that one export holds at most. */
const maxExported = 10_000
/** Rows that an export reads at a time; no connection is held while the client takes them. */
const exportPage = 500

/** What the content of one batch may take, so that a reader of megabytes costs a process little memory. */
const contentBatch = { bytesOf: ({ sizeBytes }: LoggedExchange) => sizeBytes, maxBytes: 1_000_000, maxItems: 100 }

type ContentReads = Pick<ExchangeReads, 'contents'>

/** Whole log entries as the members of a JSON array; what was deleted meanwhile is left out. */
export async function* entryPieces(
  reads: Pick<ExchangeReads, 'contents' | 'stepIndexes'>,
  scope: ReadScope,
  exchanges: readonly LoggedExchange[],
): AsyncGenerator<string> {
  const stepOf = await reads.stepIndexes(scope, exchanges)
  let separator = ''
  for await (const [exchange, content] of withContent(reads, exchanges)) {
    yield separator + logEntryJson(logRowOf(exchange, stepOf.get(exchange.id) ?? null), content)
    separator = ','
  }
}

/** Training examples, one on a line, in the order of the list. */
export async function* exportPieces(
  reads: Pick<ExchangeReads, 'contents' | 'page'>,
  request: Omit<PageRequest, 'limit' | 'offset'>,
): AsyncGenerator<string> {
  let { after } = request
  for (let left = maxExported; left > 0; left -= exportPage) {
    const limit = Math.min(left, exportPage)
    const exchanges = await reads.page({ ...request, after, limit, offset: 0 })
    for await (const [, content] of withContent(reads, exchanges)) yield `${trainingLine(content)}\n`
    after = exchanges.at(-1) ?? null
    if (exchanges.length < limit) return
  }
}

async function* withContent(reads: ContentReads, exchanges: readonly LoggedExchange[]) {
  for (const batch of batchesBySize(exchanges, contentBatch)) {
    const contents = await reads.contents(batch)
    for (const exchange of batch) {
      const content = contents.get(exchange.id)
      if (content !== undefined) yield [exchange, content] as const
    }
  }
}
