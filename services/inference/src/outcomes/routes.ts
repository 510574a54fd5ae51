import { FailureCause, failureCauses } from '@ratchet/contracts/failure-causes'
import { listFailedRequests, readFailures } from '@ratchet/contracts/failures'
import { mount } from '@ratchet/service-kit/http/mount'
import type { Router } from 'express'
import { cursorOf, readCursor } from '../billing/cursor.ts'
import { periodOf, wholeHours } from '../billing/periods.ts'
import type { FailedRequest } from './count-outcomes.ts'
import type { FailureOfGroup, FailureStore } from './failures.ts'

export interface FailureRouteDeps {
  readonly failures: FailureStore
  readonly now: () => Date
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Failed requests, for every member. */
export function failureRoutes(router: Router, { failures, now }: FailureRouteDeps): void {
  mount(router, readFailures, async ({ query, identity: { workspaceId } }) => {
    const { from, to } = wholeHours(periodOf(query, now(), 1))
    const groupBy = query.group_by
    const [report, latency] = await Promise.all([
      failures.report(workspaceId, { from, to, groupBy }),
      failures.latency(workspaceId, { from, to }),
    ])
    const { answered, cached, clientLeft, failed, groups, others, series } = report
    return {
      object: 'failures' as const,
      group_by: groupBy,
      from: from.toISOString(),
      to: to.toISOString(),
      requests: answered + cached + clientLeft + failed,
      answered,
      cached,
      client_left: clientLeft,
      failed,
      latency: latency === null ? null : { p50_ms: latency.p50Ms, p95_ms: latency.p95Ms },
      groups: groups.map((each) => groupReply(each, groupBy === 'cause')),
      others,
      series: series.map(({ at, outcome, count }) => ({ at: at.toISOString(), outcome, count })),
    }
  })
  mount(router, listFailedRequests, async ({ query, params, identity: { workspaceId } }) => {
    const place = query.after === undefined ? null : readCursor(query.after, uuid)
    const rows = await failures.rows(workspaceId, {
      ...periodOf(query, now(), 30),
      cause: params.cause,
      after: place,
      limit: query.limit,
      model: query.model ?? null,
      provider: query.provider ?? null,
      keyId: query.key_id ?? null,
      tag: query.tag ?? null,
    })
    const last = rows.at(-1)
    const next = rows.length < query.limit || last === undefined ? null : cursorOf({ at: last.at, id: last.requestId })
    return { object: 'list' as const, data: rows.map(rowReply), next }
  })
}

function groupReply({ group, failed, firstAt, lastAt, lastRequestId }: FailureOfGroup, isCause: boolean) {
  const cause = isCause ? FailureCause.safeParse(group) : null
  return {
    group,
    failed,
    what_to_do: cause?.success === true ? failureCauses[cause.data] : null,
    first_at: firstAt.toISOString(),
    last_at: lastAt.toISOString(),
    last_request_id: lastRequestId,
  }
}

function rowReply(row: FailedRequest) {
  return {
    request_id: row.requestId,
    at: row.at.toISOString(),
    cause: FailureCause.parse(row.outcome),
    model: row.model,
    alias: row.alias,
    provider: row.provider,
    key_id: row.keyId,
    tag: row.tag,
    trace_id: row.traceId,
    upstream_status: row.upstreamStatus,
    tries: row.tries,
    latency_ms: row.latencyMs,
    error_code: row.errorCode,
    message: row.message,
  }
}
