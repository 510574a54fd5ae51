import type { ReadScope } from '../exchanges/exchange-reads.ts'
import type { LoggedExchange } from '../exchanges/logged-exchange.ts'
import type { TraceSteps } from './trace-reads.ts'

/** Steps that are read at a time. The requests of others have their turn between two pages. */
const pageSteps = 100

/** The first `limit` steps of a trace in pages, the oldest first. */
export async function* stepPages(
  { exchangesOf }: Pick<TraceSteps, 'exchangesOf'>,
  scope: ReadScope,
  { traceId, limit }: { readonly traceId: string; readonly limit: number },
): AsyncGenerator<readonly LoggedExchange[]> {
  let behind: LoggedExchange | null = null
  for (let left = limit; left > 0; left -= pageSteps) {
    const size = Math.min(left, pageSteps)
    const page: readonly LoggedExchange[] = await exchangesOf(scope, traceId, { behind, limit: size })
    if (page.length > 0) yield page
    if (page.length < size) return
    behind = page.at(-1) ?? null
  }
}
