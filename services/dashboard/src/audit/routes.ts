import { type AuditEvent, listAudit } from '@ratchet/contracts/dashboard/audit'
import { listReply } from '@ratchet/contracts/dashboard/values'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import type { Router } from 'express'
import { mountForMember, type PeopleDeps } from '../people/person-routes.ts'
import type { AuditLog, AuditRow } from './pg-audit.ts'

export interface AuditDeps extends PeopleDeps {
  readonly audit: AuditLog
}

export function auditRoutes(router: Router, deps: AuditDeps): void {
  mountForMember(router, deps, listAudit, async ({ query, membership: { workspaceId } }) => {
    const { events, actors } = await deps.audit.list({ workspaceId, ...query, subject: storedSubject(query.subject) })
    const data = events.slice(0, query.limit).map((event) => ({ ...replyOf(event), actor: actorOf(event, actors) }))
    return { ...listReply(data), has_more: events.length > query.limit }
  })
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
