import { asText, type Fields } from '@ratchet/service-kit/values/json'
import type { Erasure } from '@ratchet/work-kit/erasure/erasure'
import type { ExchangeFilter, ExchangeReads, Place } from '../exchanges/exchange-reads.ts'
import type { LoggedExchange } from '../exchanges/logged-exchange.ts'

/** Exchanges of a person, and the traces that belong to nobody else. */
export interface PersonExchanges {
  readonly logIds: readonly string[]
  readonly requestIds: readonly string[]
  readonly traceIds: readonly string[]
}

export interface FindDeps {
  readonly reads: Pick<ExchangeReads, 'page' | 'contents'>
  readonly now: () => Date
}

const rowsPerPage = 200

/**
 * Finds the exchanges that name the person, and the other steps of their traces. A step that names somebody else is not among them,
 * and then the spans of its trace stay.
 *
 * @param knownTraces traces that other services know to be the person's, such as those of calls
 */
export async function findExchanges(
  deps: FindDeps,
  { workspaceId, person }: Erasure,
  knownTraces: readonly string[],
): Promise<PersonExchanges> {
  const found = new Map<string, LoggedExchange>()
  for await (const row of allOf(deps, workspaceId, { user: person })) found.set(row.id, row)
  const traces = new Set([...knownTraces, ...[...found.values()].flatMap(({ traceId }) => traceId ?? [])])
  const traceIds: string[] = []
  for (const traceId of traces) {
    let isShared = false
    for await (const row of allOf(deps, workspaceId, { traceId })) {
      if (found.has(row.id)) continue
      const user = await userOf(deps, row)
      if (user === null || user === person) found.set(row.id, row)
      else isShared = true
    }
    if (!isShared) traceIds.push(traceId)
  }
  const rows = [...found.values()]
  return { logIds: rows.map(({ id }) => id), requestIds: rows.map(({ requestId }) => requestId), traceIds }
}

async function* allOf(
  { reads, now }: FindDeps,
  workspaceId: string,
  filter: ExchangeFilter,
): AsyncGenerator<LoggedExchange, void> {
  for (let after: Place | null = null; ; ) {
    const page: readonly LoggedExchange[] = await reads.page({
      workspaceId,
      at: now(),
      filter,
      limit: rowsPerPage,
      offset: 0,
      after,
    })
    yield* page
    after = page.at(-1) ?? after
    if (page.length < rowsPerPage) return
  }
}

async function userOf({ reads }: FindDeps, row: LoggedExchange): Promise<string | null> {
  const content = (await reads.contents({ workspaceId: row.workspaceId }, [row])).get(row.id)
  return content === undefined ? null : asText((JSON.parse(content.params) as Fields).user)
}
