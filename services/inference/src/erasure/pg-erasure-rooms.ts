import type { Pool } from '@ratchet/db/connect-pool'
import type { Erasure, ErasureRooms, ErasureStep } from '@ratchet/work-kit/erasure/erasure'
import {
  addValues,
  isReferenced,
  isReferencedId,
  namesPerson,
  type RowsToErase,
  rowStep,
} from '@ratchet/work-kit/erasure/pg-steps'
import { type LedgerOf, ledgerStep, requestsStatement } from './pg-ledger-step.ts'
import { replyStep } from './pg-reply-step.ts'

export interface InferenceRoomsDeps {
  readonly pool: Pool
  readonly ledgerOf: LedgerOf
  /** Of the response cache, which is in Redis. */
  readonly cacheStep: ErasureStep
}

/** Replies that are stored, cached or repeated, failed requests, and the number of an end user in the ledger. */
export function inferenceRooms({ pool, ledgerOf, cacheStep }: InferenceRoomsDeps): ErasureRooms {
  return {
    find: (erasure) => findRequests(pool, ledgerOf, erasure),
    steps: [replyStep(pool), ...rows.map((each) => rowStep(pool, each)), cacheStep, ledgerStep(ledgerOf)],
  }
}

async function findRequests(pool: Pool, ledgerOf: LedgerOf, erasure: Erasure): Promise<void> {
  const ledger = await ledgerOf(erasure.workspaceId)
  const { rows: found } = await ledger.query<{ id: string }>(requestsStatement, [erasure.workspaceId, erasure.personId])
  await addValues(
    pool,
    erasure,
    'request',
    found.map(({ id }) => id),
  )
}

const rows: readonly RowsToErase[] = [
  {
    kind: 'stored_responses',
    table: 'stored_response',
    key: 'id',
    where: `t.workspace_id = $2 AND (${isReferencedId('t.id', 'request')} OR ${namesPerson('t.input_items')})`,
  },
  {
    kind: 'failed_requests',
    table: 'failed_request',
    key: 'at, request_id',
    where: `t.workspace_id = $2 AND (${isReferencedId('t.request_id', 'request')} OR ${isReferenced('t.trace_id', 'trace')}
      OR ${namesPerson('t.message')})`,
  },
  {
    kind: 'warnings',
    table: 'workspace_warning',
    key: 'id',
    where: `t.workspace_id = $2 AND (${namesPerson('t.data')} OR right(t.about, length($4) + 1) IN (' ' || $4, ' ' || $3::text))`,
  },
  { kind: 'end_user_names', table: 'end_user', key: 'workspace_id, id', where: 't.workspace_id = $2 AND t.id = $3' },
]
