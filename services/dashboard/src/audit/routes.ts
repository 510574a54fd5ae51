import {
  type AuditEvent,
  downloadAudit,
  downloadSealedAudit,
  listAudit,
  maxAuditCsvRows,
} from '@ratchet/contracts/dashboard/audit'
import { listReply } from '@ratchet/contracts/dashboard/values'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import { writePieces } from '@ratchet/service-kit/http/write-pieces'
import { csvLine } from '@ratchet/service-kit/values/csv'
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
    response.set('cache-control', 'no-store').attachment('audit.csv')
    await writePieces(response, 'text/csv; charset=utf-8', csvPieces(read, { workspaceId, ...query }))
    return {}
  })
  mountForMember(router, deps, downloadSealedAudit, async ({ response, membership: { workspaceId } }) => {
    response.set('cache-control', 'no-store').attachment('audit.jsonl')
    await writePieces(response, 'application/x-ndjson', sealedPieces(deps.audit.sealed(workspaceId)))
    return {}
  })
}

async function* sealedPieces(entries: ReturnType<AuditLog['sealed']>): AsyncGenerator<string, void> {
  for await (const entry of entries) yield `${JSON.stringify(entry)}\n`
}

const csvHead = 'id,at,action,actor_id,actor_name,actor_email,key_id,subject,before,after,request_id'.split(',')
/** A row may have some hundred kilobytes, so that all of them do not fit into memory. */
const rowsPerPiece = 100

interface AuditPage {
  readonly data: readonly AuditEvent[]
  readonly hasMore: boolean
}

async function* csvPieces(
  read: (filter: AuditFilter) => Promise<AuditPage>,
  filter: Omit<AuditFilter, 'limit' | 'after'>,
): AsyncGenerator<string, void> {
  yield csvLine(csvHead)
  let after: string | undefined
  for (let rows = 0; rows < maxAuditCsvRows; rows += rowsPerPiece) {
    const { data, hasMore } = await read({ ...filter, after, limit: rowsPerPiece })
    yield data.map(csvRow).join('')
    after = data.at(-1)?.id
    if (!hasMore || after === undefined) return
  }
}

function csvRow({ id, at, action, actor, key_id: keyId, subject, before, after, request_id: requestId }: AuditEvent) {
  const json = (value: AuditEvent['before']) => (value === null ? null : JSON.stringify(value))
  const who = [actor?.id ?? null, actor?.name ?? null, actor?.email ?? null]
  return csvLine([id, at, action, ...who, keyId, subject, json(before), json(after), requestId])
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
