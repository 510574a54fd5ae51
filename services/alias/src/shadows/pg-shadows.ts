import { publicId } from '@ratchet/contracts/public-id'
import type { Pool } from '@ratchet/db/connect-pool'
import { keepableText } from '@ratchet/judge-kit/prompt/keepable-text'
import type { LeasedShadow, ShadowStore } from './shadow.ts'

interface LeasedRow {
  readonly id: string
  readonly workspace_id: string
  readonly log_id: string
  readonly model: string
  readonly generation: number
  readonly failures: number
  readonly created_by: string
  readonly gate_criterion_id: string | null
}

/** Mirrored requests in Postgres. Leases run on the database's clock, so that processes need not agree on theirs. */
export function createPgShadows(pool: Pool): ShadowStore {
  return {
    async lease(id, leaseMs) {
      const { rows } = await pool.query<LeasedRow>(leaseStatement, [id, leaseMs])
      return rows[0] === undefined ? null : leasedOf(rows[0])
    },
    async renew({ id, generation }, leaseMs) {
      const text = `UPDATE shadow_sample SET due_at = now() + $3 * interval '1 millisecond'
        WHERE id = $1 AND generation = $2 AND state = 'leased'`
      await pool.query(text, [id, generation, leaseMs])
    },
    async complete({ id, generation }, { state, failure, costNano, latencyMs }) {
      const values = [id, generation, state, failure, String(costNano), latencyMs]
      return (await pool.query(completeStatement, values)).rowCount === 1
    },
    async release({ id, generation }, { error, delayMs, poisoned, countsAsFailure }) {
      const state = poisoned ? 'poisoned' : 'pending'
      const values = [id, generation, state, delayMs, keepableText(error, 500), Number(countsAsFailure)]
      await pool.query(releaseStatement, values)
    },
    async overdue(limit) {
      await pool.query(giveUpStatement, [maxLeases])
      const { rows } = await pool.query<{ id: string }>(overdueStatement, [limit])
      return rows.map(({ id }) => id)
    },
    async answered({ aliasId, model }, limit) {
      const { rows } = await pool.query<{ log_id: string }>(answeredStatement, [aliasId, model, limit])
      return rows.map(({ log_id: logId }) => logId)
    },
    async keepVerdicts({ aliasId, model }, verdicts) {
      const rows = verdicts.map(({ logId, verdict, failure }) => ({ log_id: logId, verdict, failure }))
      await pool.query(verdictsStatement, [aliasId, model, JSON.stringify(rows)])
    },
  }
}

/** A mirror that was taken down, or is another by now, answers nothing more. */
const leaseStatement = `
  UPDATE shadow_sample s SET state = 'leased', generation = s.generation + 1, attempts = s.attempts + 1,
    due_at = now() + $2 * interval '1 millisecond'
  FROM alias a WHERE s.id = $1 AND s.state IN ('pending', 'leased') AND s.due_at <= now() AND a.id = s.alias_id
    AND a.shadow_model = s.model AND a.shadow_percent > 0
  RETURNING s.id, s.workspace_id, s.log_id, s.model, s.generation, s.failures, a.created_by, a.gate_criterion_id`

const completeStatement = `
  UPDATE shadow_sample SET state = $3::shadow_sample_state, failure = $4, cost_nano = $5, latency_ms = $6,
    last_error = NULL
  WHERE id = $1 AND generation = $2 AND state = 'leased'`

const releaseStatement = `
  UPDATE shadow_sample SET state = $3::shadow_sample_state, due_at = now() + $4 * interval '1 millisecond',
    last_error = $5, attempts = attempts - 1, failures = failures + $6,
    failure = CASE WHEN $3 = 'poisoned' THEN 'refused' END
  WHERE id = $1 AND generation = $2 AND state = 'leased'`

/** Times that one may be taken on: what ends its process each time never fails, it only disappears. */
const maxLeases = 20

const giveUpStatement = `
  UPDATE shadow_sample SET state = 'poisoned', failure = 'refused',
    last_error = 'given up: nobody who took it on came back'
  WHERE state = 'leased' AND due_at <= now() AND attempts >= $1`

const overdueStatement = `
  SELECT s.id FROM shadow_sample s JOIN alias a ON a.id = s.alias_id AND a.shadow_model = s.model AND a.shadow_percent > 0
  WHERE s.state IN ('pending', 'leased') AND s.due_at <= now() ORDER BY s.due_at LIMIT $1`

const answeredStatement = `
  SELECT log_id FROM shadow_sample WHERE alias_id = $1 AND model = $2 AND state = 'answered'
  ORDER BY log_id LIMIT $3`

const verdictsStatement = `
  UPDATE shadow_sample s SET state = 'done', verdict = r.verdict, failure = r.failure
  FROM json_to_recordset($3) AS r(log_id uuid, verdict text, failure text)
  WHERE s.alias_id = $1 AND s.model = $2 AND s.log_id = r.log_id AND s.state = 'answered'`

function leasedOf(row: LeasedRow): LeasedShadow {
  const { gate_criterion_id: criterionId } = row
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    logId: row.log_id,
    model: row.model,
    generation: row.generation,
    failures: row.failures,
    createdBy: row.created_by,
    criterionId: criterionId === null ? null : publicId('criterion', criterionId),
  }
}
