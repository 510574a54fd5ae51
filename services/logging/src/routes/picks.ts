import {
  freshExchanges,
  presentExchanges,
  type SampleFilters,
  sampleExchanges,
  samplePrompts,
  sampleRuns,
} from '@ratchet/contracts/internal-logs'
import { usdToNano } from '@ratchet/contracts/money'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import { mount } from '@ratchet/service-kit/mount'
import { mountJson } from '@ratchet/service-kit/mount-json'
import type { Router } from 'express'
import type { ExchangePicks } from '../domain/exchange-picks.ts'
import type { ExchangeFilter } from '../domain/exchange-reads.ts'
import { logRowOf } from '../domain/log-row.ts'
import type { RunPicks } from '../domain/run-picks.ts'
import { sampleRuns as sampleRunsOf } from '../domain/sample-runs.ts'
import type { WorkspaceReads } from '../domain/workspace-reads.ts'
import { requireLogging } from './require-logging.ts'

export interface PickRouteDeps {
  readonly picks: ExchangePicks
  readonly runPicks: RunPicks
  readonly workspaces: WorkspaceReads
  readonly now: () => Date
}

const maxBodyBytes = 1024 * 1024

/** What judging and eval read; the edge has no way to it. */
export function pickRoutes(router: Router, deps: PickRouteDeps): void {
  exchangePickRoutes(router, deps)
  sampleRoutes(router, deps)
}

function sampleRoutes(router: Router, { picks, runPicks, workspaces, now }: PickRouteDeps): void {
  mountJson(router, sampleExchanges, {
    maxBodyBytes,
    async handle({ body: { filters, count, seed }, identity: { workspaceId } }) {
      await requireLogging(workspaces, workspaceId)
      const filter = filterOf(filters)
      const { total, exchanges } = await picks.sample({ workspaceId, at: now(), filter, count, seed })
      return { reply: { total, data: exchanges.map((exchange) => logRowOf(exchange, null)) } }
    },
  })
  mountJson(router, samplePrompts, {
    maxBodyBytes,
    async handle({ body: { filters, count, seed }, identity: { workspaceId } }) {
      await requireLogging(workspaces, workspaceId)
      const sample = await picks.prompts({ workspaceId, at: now(), filter: filterOf(filters), count, seed })
      const { total, lookedAt, distinct, exchanges } = sample
      const data = exchanges.map((exchange) => logRowOf(exchange, null))
      return { reply: { total, looked_at: lookedAt, distinct, data } }
    },
  })
  mountJson(router, sampleRuns, {
    maxBodyBytes,
    async handle({ body: { filters, max_steps: maxSteps, seed }, identity: { workspaceId } }) {
      await requireLogging(workspaces, workspaceId)
      const filter = filterOf(filters)
      const sample = await sampleRunsOf(runPicks, { workspaceId, at: now(), filter, maxSteps, seed })
      const data = sample.runs.map(({ traceId, steps }) => ({ trace_id: traceId, steps: steps.map(logRowOf) }))
      return { reply: { total_runs: sample.totalRuns, eligible_steps: sample.eligibleSteps, data } }
    },
  })
}

function exchangePickRoutes(router: Router, { picks, workspaces, now }: PickRouteDeps): void {
  mount(router, freshExchanges, async ({ query: { after, limit, alias }, identity: { workspaceId } }) => {
    await requireLogging(workspaces, workspaceId)
    const exchanges = await picks.fresh({ workspaceId, at: now(), after, limit, alias })
    return { data: exchanges.map((exchange) => logRowOf(exchange, null)) }
  })
  mountJson(router, presentExchanges, {
    maxBodyBytes,
    async handle({ body: { ids }, identity: { workspaceId } }) {
      const uuids = ids.flatMap((id) => uuidOf('log', id) ?? [])
      const present = await picks.present({ workspaceId, at: now() }, uuids)
      return { reply: { ids: present.map((uuid) => publicId('log', uuid)) } }
    },
  })
}

function filterOf(filters: SampleFilters): ExchangeFilter {
  const { start, end, min_cost_usd: minCostUsd } = filters
  return {
    model: filters.model,
    tag: filters.tag,
    segment: filters.segment,
    finishReason: filters.finish_reason,
    cached: filters.cache_hit,
    start: start === undefined ? undefined : new Date(start),
    end: end === undefined ? undefined : new Date(end),
    traceId: filters.trace_id,
    alias: filters.alias,
    canary: filters.canary,
    minCostNano: minCostUsd === undefined ? undefined : usdToNano(minCostUsd),
    hasToolCalls: filters.has_tool_calls,
  }
}
