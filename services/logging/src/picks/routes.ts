import {
  drawRuns,
  freshExchanges,
  presentExchanges,
  quietRuns,
  readRuns,
  sampleExchanges,
  samplePrompts,
  sampleRuns,
} from '@ratchet/contracts/internal-logs'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import { mount } from '@ratchet/service-kit/http/mount'
import { mountJson } from '@ratchet/service-kit/http/mount-json'
import type { Router } from 'express'
import { logRowOf } from '../logs/log-row.ts'
import { quietSince } from '../traces/trace-object.ts'
import type { TraceReads } from '../traces/trace-reads.ts'
import type { WorkspaceReads } from '../workspaces/pg-workspace-reads.ts'
import { requireLogging } from '../workspaces/require-logging.ts'
import type { ExchangePicks } from './exchange-picks.ts'
import { filterOf } from './filter-of.ts'
import { readRuns as readRunsOf } from './read-runs.ts'
import type { RunPicks } from './run-picks.ts'
import { drawRuns as drawRunsOf, sampleRuns as sampleRunsOf } from './sample-runs.ts'

export interface PickRouteDeps {
  readonly traces: TraceReads
  readonly picks: ExchangePicks
  readonly runPicks: RunPicks
  readonly workspaces: WorkspaceReads
  readonly now: () => Date
}

/** Picks from the log for judging and eval. The edge does not forward requests to them. */
export function pickRoutes(router: Router, deps: PickRouteDeps): void {
  exchangePickRoutes(router, deps)
  sampleRoutes(router, deps)
  runRoutes(router, deps)
}

function sampleRoutes(router: Router, { picks, runPicks, workspaces, now }: PickRouteDeps): void {
  mountJson(router, sampleExchanges, async ({ body: { filters, count, seed }, identity: { workspaceId } }) => {
    await requireLogging(workspaces, workspaceId)
    const filter = filterOf(filters)
    const { total, exchanges } = await picks.sample({ workspaceId, at: now(), filter, count, seed })
    return { reply: { total, data: exchanges.map((exchange) => logRowOf(exchange, null)) } }
  })
  mountJson(router, samplePrompts, async ({ body: { filters, count, seed }, identity: { workspaceId } }) => {
    await requireLogging(workspaces, workspaceId)
    const sample = await picks.prompts({ workspaceId, at: now(), filter: filterOf(filters), count, seed })
    const { total, examined, distinct, exchanges } = sample
    const data = exchanges.map((exchange) => logRowOf(exchange, null))
    return { reply: { total, looked_at: examined, distinct, data } }
  })
  mountJson(router, sampleRuns, async ({ body: { filters, max_steps: maxSteps, seed }, identity: { workspaceId } }) => {
    await requireLogging(workspaces, workspaceId)
    const filter = filterOf(filters)
    const sample = await sampleRunsOf(runPicks, { workspaceId, at: now(), filter, maxSteps, seed })
    const data = sample.runs.map(({ traceId, steps }) => ({ trace_id: traceId, steps: steps.map(logRowOf) }))
    return { reply: { total_runs: sample.totalRuns, eligible_steps: sample.eligibleSteps, data } }
  })
}

function runRoutes(router: Router, { traces, runPicks, workspaces, now }: PickRouteDeps): void {
  mountJson(router, drawRuns, async ({ body: { filters, count, seed }, identity: { workspaceId } }) => {
    await requireLogging(workspaces, workspaceId)
    const drawn = await drawRunsOf(runPicks, { workspaceId, at: now(), filter: filterOf(filters), count, seed })
    return { reply: { total_runs: drawn.totalRuns, trace_ids: [...drawn.traceIds] } }
  })
  mountJson(router, readRuns, async ({ body: { trace_ids: traceIds }, identity: { workspaceId } }) => {
    await requireLogging(workspaces, workspaceId)
    const runs = await readRunsOf({ traces, runPicks }, { workspaceId, at: now() }, traceIds)
    const data = runs.map((run) => ({
      trace_id: run.traceId,
      completed: run.isCompleted,
      last_at: run.lastAt.toISOString(),
      expires_at: run.expiresAt.toISOString(),
      step_count: run.stepCount,
      steps: run.steps.map(logRowOf),
    }))
    return { reply: { data } }
  })
  mount(router, quietRuns, async ({ query: { after, after_id: id = '', limit }, identity: { workspaceId } }) => {
    await requireLogging(workspaces, workspaceId)
    const at = now()
    const order = { workspaceId, at, quietSince: quietSince(at), after: { id, lastAt: after }, limit }
    const runs = await runPicks.quietAfter(order)
    return { data: runs.map((run) => ({ trace_id: run.id, last_at: run.lastAt.toISOString() })) }
  })
}

function exchangePickRoutes(router: Router, { picks, workspaces, now }: PickRouteDeps): void {
  mount(router, freshExchanges, async ({ query: { after, limit, alias }, identity: { workspaceId } }) => {
    await requireLogging(workspaces, workspaceId)
    const exchanges = await picks.fresh({ workspaceId, at: now(), after, limit, alias })
    return { data: exchanges.map((exchange) => logRowOf(exchange, null)) }
  })
  mountJson(router, presentExchanges, async ({ body: { ids }, identity: { workspaceId } }) => {
    const uuids = ids.flatMap((id) => uuidOf('log', id) ?? [])
    const present = await picks.present({ workspaceId, at: now() }, uuids)
    return { reply: { ids: present.map((uuid) => publicId('log', uuid)) } }
  })
}
