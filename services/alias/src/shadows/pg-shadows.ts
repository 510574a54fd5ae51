import { publicId } from '@ratchet/contracts/public-id'
import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import type { Lease } from '@ratchet/work-kit/leases/leased-item'
import { createPgItems } from '@ratchet/work-kit/leases/pg-items'
import type { LeasedShadow, ShadowKey, ShadowOutcome, ShadowVerdict } from './shadow.ts'

interface LeasedRow
  extends Pick<Row<'shadowSample'>, 'id' | 'workspace_id' | 'log_id' | 'model' | 'generation' | 'failures'>,
    Pick<Row<'alias'>, 'created_by' | 'gate_criterion_id'> {}

export type ShadowStore = ReturnType<typeof createPgShadows>

/** Work items and results of shadow requests in one row. A request whose shadow model was removed is not sent any more. */
export function createPgShadows(pool: Pool) {
  const items = createPgItems<LeasedRow, LeasedShadow>(
    pool,
    {
      table: 'shadow_sample',
      requires: { from: 'alias a', where: 'a.id = t.alias_id AND a.shadow_model = t.model AND a.shadow_percent > 0' },
      leased: 't.id, t.workspace_id, t.log_id, t.model, t.generation, t.failures, a.created_by, a.gate_criterion_id',
      completed: 'state = $3::shadow_sample_state, failure = $4, cost_nano = $5, latency_ms = $6',
      deadLettered: `failure = 'refused'`,
    },
    leasedOf,
  )
  return {
    ...items,
    /** Saves the outcome. False when the lease was lost. */
    complete: (shadow: Lease, { state, failure, costNano, latencyMs }: ShadowOutcome): Promise<boolean> =>
      items.complete(shadow, [state, failure, String(costNano), latencyMs]),
    /** Log ids of requests whose answer has no verdict yet. */
    async answered({ aliasId, model }: ShadowKey, limit: number): Promise<readonly string[]> {
      const { rows } = await pool.query<{ log_id: string }>(answeredStatement, [aliasId, model, limit])
      return rows.map(({ log_id: logId }) => logId)
    },
    async saveVerdicts({ aliasId, model }: ShadowKey, verdicts: readonly ShadowVerdict[]): Promise<void> {
      const rows = verdicts.map(({ logId, verdict, failure }) => ({ log_id: logId, verdict, failure }))
      await pool.query(verdictsStatement, [aliasId, model, JSON.stringify(rows)])
    },
  }
}

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
