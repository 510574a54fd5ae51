import { passes } from '@ratchet/contracts/erasure-passes'
import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { StoredErasure } from '@ratchet/db/person-erasures'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import { receiptOf } from './receipt.ts'

export interface AdvanceDeps {
  readonly pool: Pool
  readonly now: () => Date
  readonly newId: () => string
}

/** Lets all services go on to the next pass when each has done the present one, and writes receipts of what has ended. */
export async function advanceErasures({ pool, now, newId }: AdvanceDeps): Promise<void> {
  await pool.query(forgetStatement, [new Date(now().getTime() - maxOpenMs)])
  await pool.query(
    'DELETE FROM erasure_reference r USING person_erasure e WHERE e.id = r.erasure_id AND e.state = $1',
    ['cancelled'],
  )
  await pool.query(advanceStatement, [passes.lastFinding, passes.last])
  const { rows } = await pool.query<{ id: string }>(endedStatement, [passes.last])
  for (const { id } of rows) await inTransaction(pool, (client) => end(client, { id, at: now(), eventId: newId() }))
}

/** Numbers that nobody confirmed are as old then as they may become. */
const maxOpenMs = 7 * dayMs

const forgetStatement = `
  UPDATE person_erasure SET state = 'cancelled', ended_at = now(), person = NULL, needle = NULL
  WHERE state = 'found' AND requested_at < $1`

const isDone = 'NOT EXISTS (SELECT FROM erasure_part p WHERE p.erasure_id = e.id AND p.pass < e.pass)'

const advanceStatement = `
  UPDATE person_erasure e SET
    state = CASE WHEN e.state = 'finding' AND e.pass = $1 THEN 'found' ELSE e.state END,
    pass = CASE WHEN e.state = 'finding' AND e.pass = $1 THEN e.pass ELSE e.pass + 1 END
  WHERE e.state IN ('finding', 'erasing') AND e.pass < $2 AND ${isDone}`

const endedStatement = `SELECT e.id FROM person_erasure e WHERE e.state = 'erasing' AND e.pass = $1 AND ${isDone}`

type ErasureRow = Omit<StoredErasure, 'parts'> & { readonly workspaceId: string }

/** In one transaction: the receipt, its entry in the audit, and the end of the name and of all references. */
async function end(
  client: PoolClient,
  { id, at, eventId }: { readonly id: string; readonly at: Date; readonly eventId: string },
): Promise<void> {
  const { rows } = await client.query<ErasureRow>(lockStatement, [id])
  const [row] = rows
  if (row === undefined || row.person === null) return
  const parts = await client.query<StoredErasure['parts'][number]>(partsStatement, [id])
  const erasure = { ...row, person: row.person, parts: parts.rows }
  const { text, sha256 } = receiptOf({ workspaceId: row.workspaceId, erasure, endedAt: at })
  await client.query(doneStatement, [id, at, text, sha256])
  await client.query('DELETE FROM erasure_reference WHERE erasure_id = $1', [id])
  const after = JSON.stringify({ receipt_sha256: sha256, receipt: JSON.parse(text) })
  await client.query(eventStatement, [eventId, row.workspaceId, row.confirmedBy, id, after, at])
}

const lockStatement = `
  SELECT id, kind, person, state, pass, workspace_id AS "workspaceId", requested_by AS "requestedBy",
    requested_at AS "requestedAt", confirmed_by AS "confirmedBy", confirmed_at AS "confirmedAt", ended_at AS "endedAt",
    receipt, receipt_sha256 AS "receiptSha256"
  FROM person_erasure WHERE id = $1 AND state = 'erasing' FOR UPDATE`

const partsStatement = `
  SELECT service, pass, found, erased, kept, waits_for AS "waitsFor" FROM erasure_part WHERE erasure_id = $1 ORDER BY service`

const doneStatement = `
  UPDATE person_erasure SET state = 'done', ended_at = $2, receipt = $3, receipt_sha256 = $4, person = NULL, needle = NULL
  WHERE id = $1`

const eventStatement = `
  INSERT INTO audit_event (id, workspace_id, user_id, action, subject, after, request_id, created_at)
  VALUES ($1, $2, $3, 'person.erased', $4, $5, 'erasure', $6)`
