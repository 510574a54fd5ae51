import { pageReply } from '@ratchet/contracts/page'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import { type CriterionEvent, listCriterionEvents } from '@ratchet/contracts/session-criteria'
import { mount } from '@ratchet/service-kit/http/mount'
import type { Router } from 'express'
import type { CriterionEventRow, CriterionEvents } from './pg-criterion-events.ts'

interface AuditRouteDeps {
  readonly events: Pick<CriterionEvents, 'list'>
}

/** Who changed which judge. A judge that was deleted is still listed, so an unknown id is an empty list. */
export function auditRoutes(router: Router, { events }: AuditRouteDeps): void {
  mount(router, listCriterionEvents, async ({ query, identity: { workspaceId } }) => {
    const { criterion_id: id, limit, offset } = query
    const criterionId = id === undefined ? null : uuidOf('criterion', id)
    if (id !== undefined && criterionId === null) return pageReply([], 0, query)
    const found = await events.list({ workspaceId, criterionId, limit, offset })
    return pageReply(found.events.map(eventReply), found.total, query)
  })
}

function eventReply(row: CriterionEventRow): CriterionEvent {
  return {
    object: 'criterion.event',
    id: publicId('criterionEvent', row.id),
    criterion_id: publicId('criterion', row.criterion_id),
    kind: row.kind,
    actor: row.user_id === null ? null : { user_id: row.user_id, key_id: row.key_id, session_id: row.session_id },
    request_id: row.request_id,
    before: row.before === null ? null : JSON.parse(row.before),
    after: row.after === null ? null : JSON.parse(row.after),
    created_at: row.created_at.toISOString(),
  }
}
