import { logHistogram, logValues, previewDataset, type valueFields } from '@ratchet/contracts/log-overview'
import { mount } from '@ratchet/service-kit/http/mount'
import { mountJson } from '@ratchet/service-kit/http/mount-json'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Router } from 'express'
import { previewCuration } from '../datasets/create-routes.ts'
import type { CurateDeps } from '../datasets/curate-from-logs.ts'
import type { ExchangeReads } from '../exchanges/exchange-reads.ts'
import type { LoggedExchange } from '../exchanges/logged-exchange.ts'
import { filterOf } from '../logs/filter-of.ts'
import type { WorkspaceReads } from '../workspaces/pg-workspace-reads.ts'
import { requireLogging } from '../workspaces/require-logging.ts'
import { bucketsOf } from './count-buckets.ts'
import type { ExchangeCounts } from './exchange-counts.ts'
import { frequentValues } from './frequent-values.ts'

export interface OverviewRouteDeps extends CurateDeps {
  readonly exchanges: ExchangeReads
  readonly counts: ExchangeCounts
  readonly workspaces: WorkspaceReads
  readonly now: () => Date
}

/** Entries that are read for the values of a filter. */
const maxLookedAt = 2_000
const maxValues = 50

const columnOf: Readonly<Record<(typeof valueFields)[number], (exchange: LoggedExchange) => string | null>> = {
  model: ({ servedModel }) => servedModel,
  tag: ({ tag }) => tag,
  segment: ({ segment }) => segment,
  finish_reason: ({ finishReason }) => finishReason,
  alias: ({ alias }) => alias,
}

/** What the dashboard shows of the log beside its entries: counts over time, values of filters, previews of datasets. */
export function overviewRoutes(router: Router, deps: OverviewRouteDeps): void {
  const { exchanges, counts, workspaces, now } = deps

  mount(router, logHistogram, async ({ query, identity: { workspaceId } }) => {
    const { start, end, buckets: count } = query
    if (end <= start) throw new ServiceError('invalid_request', 'end must be after start.', { param: 'end' })
    await requireLogging(workspaces, workspaceId)
    const buckets = bucketsOf(start, end, count)
    const filter = { ...filterOf(query), start, end }
    const matches = await counts.byTime({ workspaceId, at: now(), filter, buckets })
    const startOf = (index: number) => new Date(buckets.startMs + index * buckets.bucketMs).toISOString()
    return {
      object: 'log.histogram' as const,
      bucket_ms: buckets.bucketMs,
      buckets: matches.map((matched, index) => ({ start: startOf(index), count: matched })),
    }
  })

  mount(router, logValues, async ({ query, identity: { workspaceId } }) => {
    await requireLogging(workspaces, workspaceId)
    const page = { limit: maxLookedAt, offset: 0, after: null }
    const newest = await exchanges.page({ workspaceId, at: now(), filter: filterOf(query), ...page })
    const values = frequentValues(newest.map(columnOf[query.field]), maxValues)
    return { object: 'log.facets' as const, field: query.field, looked_at: newest.length, values: [...values] }
  })

  mountJson(router, previewDataset, async ({ body, identity }) => {
    await requireLogging(workspaces, identity.workspaceId)
    return { reply: await previewCuration(deps, { body, identity }) }
  })
}
