import type { Pool } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { Row } from '@ratchet/db/row'
import { addCallNotices } from '../notices/pg-call-notices.ts'
import type { DueVerdict, StoredVerdict, VerdictStore } from './call-verdict.ts'

/** Verdicts on calls in Postgres. */
export function createPgVerdicts(pool: Pool): VerdictStore {
  return {
    async of({ workspaceId, id }) {
      const { rows } = await pool.query<VerdictRow>(ofStatement, [workspaceId, id])
      return rows.map(({ criterion_id: criterionId, ...rest }) => ({ criterionId, ...rest }) as StoredVerdict)
    },
    async take(limit) {
      const { rows } = await pool.query<DueRow>(takeStatement, [limit])
      return rows.map((row) => ({
        workspaceId: row.workspace_id,
        id: row.call_id,
        userId: row.owner_user_id,
        criterionId: row.criterion_id,
        state: row.state as DueVerdict['state'],
        instrument: row.instrument,
        attempts: row.attempts,
        status: row.status as DueVerdict['status'],
        talkedMs: row.talked_ms,
        isCanary: row.arm === 'canary',
        isErased: row.erased_at !== null,
        requests: row.requests,
        endedMs: Number(row.ended_ms),
      }))
    },
    async save({ workspaceId, id, criterionId }, step) {
      const key = [workspaceId, id, criterionId, step.state]
      if ('afterMs' in step) {
        await pool.query(laterStatement, [...key, step.instrument, step.afterMs])
        return
      }
      await inTransaction(pool, async (client) => {
        // One after the other, so that the last verdict of a call is known to be the last.
        await client.query(lockStatement, [workspaceId, id])
        const { rowCount } =
          step.state === 'done'
            ? await client.query(doneStatement, [...key, step.verdict, step.trust])
            : await client.query(failedStatement, [...key, step.failure])
        if (rowCount === 1) await client.query(analyzedStatement, [workspaceId, id])
      })
    },
  }
}

const ofStatement = `
  SELECT criterion_id, state, verdict, failure, trust FROM call_verdict WHERE workspace_id = $1 AND call_id = $2
  ORDER BY criterion_id`

/** A process that dies leaves its calls to others after half a minute. */
const takeStatement = `
  UPDATE call_verdict v SET due_at = now() + interval '30 seconds', attempts = v.attempts + 1
  FROM (SELECT d.call_id, d.criterion_id, k.workspace_id, k.owner_user_id, k.status, k.talked_ms, k.arm, k.erased_at,
      extract(epoch FROM now() - k.ended_at) * 1000 AS ended_ms
    FROM call_verdict d JOIN call k ON k.id = d.call_id AND k.workspace_id = d.workspace_id
    WHERE d.state IN ('waiting', 'planned') AND d.due_at <= now() AND k.ended_at IS NOT NULL
    ORDER BY d.due_at LIMIT $1 FOR UPDATE OF d SKIP LOCKED) due
  WHERE v.call_id = due.call_id AND v.criterion_id = due.criterion_id AND v.workspace_id = due.workspace_id
  RETURNING v.call_id, v.workspace_id, v.criterion_id, v.state, v.instrument, v.attempts, due.owner_user_id, due.status,
    due.talked_ms, due.arm, due.erased_at, due.ended_ms, (SELECT count(*)::int FROM call_request r
      WHERE r.call_id = v.call_id AND r.workspace_id = v.workspace_id) AS requests`

const ofCall = "WHERE workspace_id = $1 AND call_id = $2 AND criterion_id = $3 AND state IN ('waiting', 'planned')"
const doneStatement = `UPDATE call_verdict SET state = $4, verdict = $5, trust = $6 ${ofCall}`
const failedStatement = `UPDATE call_verdict SET state = $4, failure = $5 ${ofCall}`
const lockStatement = 'SELECT FROM call WHERE workspace_id = $1 AND id = $2 FOR UPDATE'
const analyzedStatement = `
  WITH analyzed AS (
    SELECT k.* FROM call k WHERE k.workspace_id = $1 AND k.id = $2 AND NOT EXISTS (
      SELECT FROM call_verdict v WHERE v.workspace_id = $1 AND v.call_id = $2 AND v.state IN ('waiting', 'planned'))
  )
  ${addCallNotices('analyzed', 'call.analyzed')}`
const laterStatement = `
  UPDATE call_verdict SET state = $4, instrument = $5, due_at = now() + $6 * interval '1 millisecond' ${ofCall}`

type VerdictRow = Pick<Row<'callVerdict'>, 'criterion_id' | 'state' | 'verdict' | 'failure' | 'trust'>

type DueRow = Pick<
  Row<'callVerdict'>,
  'call_id' | 'workspace_id' | 'criterion_id' | 'state' | 'instrument' | 'attempts'
> &
  Pick<Row<'call'>, 'owner_user_id' | 'status' | 'talked_ms' | 'arm' | 'erased_at'> & {
    readonly ended_ms: string
    readonly requests: number
  }
