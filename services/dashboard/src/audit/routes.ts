import { type AuditEvent, downloadAudit, listAudit, maxAuditCsvRows } from '@ratchet/contracts/dashboard/audit'
import { listReply } from '@ratchet/contracts/dashboard/values'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import { sendCsv } from '@ratchet/service-kit/http/send-csv'
import { csvOf } from '@ratchet/service-kit/values/csv'
import type { Router } from 'express'
import { mountForMember, type PeopleDeps } from '../people/person-routes.ts'
import type { AuditFilter, AuditLog, AuditRow } from './pg-audit.ts'

export interface AuditDeps extends PeopleDeps {
  readonly audit: AuditLog
}

export function auditRoutes(router: Router, deps: AuditDeps): void {
  const read = async (filter: AuditFilter) => {
    const { events, actors } = await deps.audit.list({ ...filter, subject: storedSubject(filter.subject) })
    const data = events.slice(0, filter.limit).map((event) => ({ ...replyOf(event), actor: actorOf(event, actors) }))
    return { data, hasMore: events.length > filter.limit }
  }
  mountForMember(router, deps, listAudit, async ({ query, membership: { workspaceId } }) => {
    const { data, hasMore } = await read({ workspaceId, ...query })
    return { ...listReply(data), has_more: hasMore }
  })
  mountForMember(router, deps, downloadAudit, async ({ query, response, membership: { workspaceId } }) => {
    const { data } = await read({ workspaceId, ...query, limit: maxAuditCsvRows })
    sendCsv(response.set('cache-control', 'no-store'), 'audit.csv', auditCsv(data))
    return {}
  })
}

function auditCsv(events: readonly AuditEvent[]): string {
  const json = (value: AuditEvent['before']) => (value === null ? null : JSON.stringify(value))
  return csvOf(
    [
      'id',
      'at',
      'action',
      'actor_id',
      'actor_name',
      'actor_email',
      'key_id',
      'subject',
      'before',
      'after',
      'request_id',
    ],
    events.map(({ id, at, action, actor, key_id, subject, before, after, request_id }) => [
      id,
      at,
      action,
      actor?.id ?? null,
      actor?.name ?? null,
      actor?.email ?? null,
      key_id,
      subject,
      json(before),
      json(after),
      request_id,
    ]),
  )
}

function replyOf({
  id,
  createdAt,
  action,
  keyId,
  subject,
  before,
  after,
  requestId,
}: AuditRow): Omit<AuditEvent, 'actor'> {
  return {
    id,
    at: createdAt.toISOString(),
    action,
    key_id: keyId,
    subject: shownSubject(action, subject),
    before: before === null ? null : JSON.parse(before),
    after: after === null ? null : JSON.parse(after),
    request_id: requestId,
  }
}

function actorOf({ userId }: AuditRow, actors: ReadonlyMap<string, NonNullable<AuditEvent['actor']>>) {
  return (userId !== null && actors.get(userId)) || null
}

/** Judges and payments have public ids, as everywhere else on the pages. */
function shownSubject(action: string, subject: string): string {
  if (action.startsWith('judge.')) return publicId('criterion', subject)
  return action === 'wallet.top_up_begun' ? publicId('topUp', subject) : subject
}

function storedSubject(subject: string | undefined): string | undefined {
  return subject === undefined ? undefined : (uuidOf('criterion', subject) ?? uuidOf('topUp', subject) ?? subject)
}
