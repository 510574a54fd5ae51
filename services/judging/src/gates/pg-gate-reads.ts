import type { Verdict } from '@ratchet/contracts/criteria'
import type { Pool } from '@ratchet/db/connect-pool'
import { majorityGrades } from '../labels/pg-majority-grades.ts'
import type { GateReads, GateVerdict } from './gate-reads.ts'

/** What gates ask of judgements, in Postgres. */
export function createPgGateReads(pool: Pool): GateReads {
  return {
    async monitored({ criterionId, instrument }, logIds) {
      const { rows } = await pool.query<{ log_id: string }>(monitoredStatement, [criterionId, instrument, logIds])
      return new Set(rows.map(({ log_id: logId }) => logId))
    },
    async verdicts({ criterionId, instrument, ids, monitored }) {
      const { rows } = await pool.query<VerdictRow>(verdictsStatement, [criterionId, instrument, ids, monitored])
      return rows.map(verdictOf)
    },
    grades: (key, logIds) => majorityGrades(pool, { ...key, logIds, onlyRandom: false }),
  }
}

/**
 * Looks of the monitor that a gate relies on. What the monitor leaves because it is turned off is not judged, and what was
 * gone may be looked for once more: such an exchange is neither told of nor taken for planned, so that the gate plans it.
 */
const monitorLooks = `judgement j JOIN criterion c ON c.id = j.criterion_id
  WHERE j.criterion_id = $1 AND j.instrument = $2 AND j.source = 'online'
    AND CASE WHEN j.state = 'done' THEN j.failure IS DISTINCT FROM 'gone'
      WHEN j.state = 'poisoned' THEN true ELSE c.online_enabled END`

const monitoredStatement = `SELECT j.log_id FROM ${monitorLooks} AND j.log_id = ANY($3::uuid[])`

interface VerdictRow {
  readonly log_id: string
  readonly state: 'pending' | 'leased' | 'done' | 'poisoned'
  readonly verdict: Verdict | null
  readonly failure: string | null
}

/** Of two looks at what was served the one with a verdict counts, and then the gate's own. */
const verdictsStatement = `
  SELECT DISTINCT ON (log_id) log_id, state, verdict, failure FROM (
    SELECT log_id, state, verdict, failure, true AS own FROM judgement WHERE id = ANY($3::uuid[])
    UNION ALL
    SELECT j.log_id, j.state, j.verdict, j.failure, false FROM ${monitorLooks} AND j.log_id = ANY($4::uuid[])
  ) AS looks ORDER BY log_id, verdict IS NULL, own DESC`

function verdictOf({ log_id: logId, state, verdict, failure }: VerdictRow): GateVerdict {
  if (state === 'poisoned') return { logId, state: 'failed', verdict: null, failure: 'poisoned' }
  if (state !== 'done') return { logId, state: 'pending', verdict: null, failure: null }
  return { logId, state: verdict === null ? 'failed' : 'done', verdict, failure }
}
