import { parseExact } from '@ratchet/service-kit/values/exact-json'
import { batchesBySize } from '../exchanges/batches-by-size.ts'
import type { ExchangeReads, PageRequest, ReadScope } from '../exchanges/exchange-reads.ts'
import type { ExchangeContent, LoggedExchange } from '../exchanges/logged-exchange.ts'
import { logEntryJson, logRowOf, withinRetention } from './log-row.ts'

/** Rows that an export reads at a time. No connection is held while the client receives them. */
const exportPage = 500

/** Limits of one batch of contents, so that a long list needs little memory. */
const contentBatch = { bytesOf: ({ sizeBytes }: LoggedExchange) => sizeBytes, maxBytes: 1_000_000, maxItems: 100 }

type ContentReads = Pick<ExchangeReads, 'contents'>

/** Whole log entries as the members of a JSON array. Entries that were deleted meanwhile are left out. */
export async function* entryPieces(
  reads: Pick<ExchangeReads, 'contents' | 'stepIndexes'>,
  scope: ReadScope,
  exchanges: readonly LoggedExchange[],
): AsyncGenerator<string> {
  const stepOf = await reads.stepIndexes(scope, exchanges)
  let separator = ''
  for await (const [exchange, content] of withContent(reads, scope, exchanges)) {
    yield separator + entryJson(exchange, content, { scope, stepIndex: stepOf.get(exchange.id) ?? null })
    separator = ','
  }
}

/** The same for the steps of a trace, in pages from its first step on, whose indexes follow from their places. */
export async function* stepPieces(
  reads: ContentReads,
  scope: ReadScope,
  pages: AsyncIterable<readonly LoggedExchange[]>,
): AsyncGenerator<string> {
  let separator = ''
  let stepsBefore = 0
  for await (const page of pages) {
    const stepOf = new Map(page.map(({ id }, index) => [id, stepsBefore + index]))
    stepsBefore += page.length
    for await (const [exchange, content] of withContent(reads, scope, page)) {
      yield separator + entryJson(exchange, content, { scope, stepIndex: stepOf.get(exchange.id) ?? null })
      separator = ','
    }
  }
}

function entryJson(
  exchange: LoggedExchange,
  content: ExchangeContent,
  { scope, stepIndex }: { readonly scope: ReadScope; readonly stepIndex: number | null },
): string {
  return logEntryJson(withinRetention(logRowOf(exchange, stepIndex), scope), content)
}

/** Training examples, one per line, in the order of the list. */
export async function* exportPieces(
  reads: Pick<ExchangeReads, 'contents' | 'page'>,
  request: Omit<PageRequest, 'offset'>,
): AsyncGenerator<string> {
  let { after } = request
  for (let left = request.limit; left > 0; left -= exportPage) {
    const limit = Math.min(left, exportPage)
    const exchanges = await reads.page({ ...request, after, limit, offset: 0 })
    for await (const [, content] of withContent(reads, request, exchanges)) yield `${trainingLine(content)}\n`
    after = exchanges.at(-1) ?? null
    if (exchanges.length < limit) return
  }
}

async function* withContent(
  reads: ContentReads,
  scope: Pick<ReadScope, 'workspaceId'>,
  exchanges: readonly LoggedExchange[],
) {
  for (const batch of batchesBySize(exchanges, contentBatch)) {
    const contents = await reads.contents(scope, batch)
    for (const exchange of batch) {
      const content = contents.get(exchange.id)
      if (content !== undefined) yield [exchange, content] as const
    }
  }
}

/** An exchange as a training example: its messages and the answer behind them, each with `role` and `content`. */
function trainingLine({ messages, response }: ExchangeContent): string {
  const all = [...(parseExact(messages) as readonly object[]), parseExact(response) as object]
  return JSON.stringify({
    messages: all.map((message) => ('content' in message ? message : { ...message, content: null })),
  })
}
