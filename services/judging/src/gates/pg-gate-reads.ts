import type { Verdict } from '@ratchet/contracts/criteria'
import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import type { GradeKey } from '../judgements/verdict-reads.ts'
import { majorityGrades } from '../labels/pg-majority-grades.ts'

interface GateInstrument {
  readonly criterionId: string
  readonly instrument: number
}

interface RequestedVerdicts extends GateInstrument {
  /** UUIDs of the gate's own judgements. */
  readonly ids: readonly string[]
  /** Log UUIDs for which verdicts of the monitor count as well. */
  readonly monitored: readonly string[]
}

interface GateVerdict {
  readonly logId: string
  readonly state: 'pending' | 'done' | 'failed'
  /** Null unless `state` is done. */
  readonly verdict: Verdict | null
  /** Why there will be no verdict: the failure of the judgement, or `poisoned`. */
  readonly failure: string | null
}

export type GateReads = ReturnType<typeof createPgGateReads>

export function createPgGateReads(pool: Pool) {
  return {
    /** Those of the log UUIDs that the monitor judges anyway: a gate uses its verdicts and pays nothing. */
    async monitored(
      { criterionId, instrument }: GateInstrument,
      logIds: readonly string[],
    ): Promise<ReadonlySet<string>> {
      const { rows } = await pool.query<{ log_id: string }>(monitoredStatement, [criterionId, instrument, logIds])
      return new Set(rows.map(({ log_id: logId }) => logId))
    },
    /** One verdict for an exchange. Exchanges that are not planned are left out. */
    async verdicts(requested: RequestedVerdicts): Promise<readonly GateVerdict[]> {
      const { criterionId, instrument, ids, monitored } = requested
      const { rows } = await pool.query<VerdictRow>(verdictsStatement, [criterionId, instrument, ids, monitored])
      return rows.map(verdictOf)
    },
    /** Majorities of all grades, by log UUID. */
    grades: (key: GradeKey, itemIds: readonly string[]) =>
      majorityGrades(pool, { ...key, unit: 'request', itemIds, onlyRandom: false }),
    /** Probabilities with which exchanges were drawn for grading, by log UUID. Those that a person picked have none. */
    async drawProbabilities(
      { workspaceId, criterionId }: GradeKey,
      logIds: readonly string[],
    ): Promise<ReadonlyMap<string, number>> {
      const { rows } = await pool.query<DrawRow>(drawsStatement, [workspaceId, criterionId, logIds])
      return new Map(rows.map(({ log_id: logId, probability }) => [logId, probability]))
    },
  }
}

interface DrawRow {
  readonly log_id: string
  readonly probability: number
}

/** An exchange that was drawn by several rules has at least the largest of their probabilities. */
const drawsStatement = `
  SELECT log_id, max(sampling_probability) AS probability FROM label
  WHERE workspace_id = $1 AND (criterion_id = $2 OR criterion_id IS NULL) AND log_id = ANY($3::uuid[])
    AND superseded_by IS NULL AND sampling_method <> 'picked' AND sampling_probability > 0
  GROUP BY log_id`

/**
 * Judgements of the monitor that a gate can use. Pending ones of a monitor that is off will not be judged, and an exchange
 * that was missing may be there now: both count as not planned, so that the gate plans them itself.
 */
const monitorJudgements = `judgement j JOIN criterion c ON c.id = j.criterion_id
  WHERE j.criterion_id = $1 AND j.instrument = $2 AND j.source = 'online'
    AND CASE WHEN j.state = 'done' THEN j.failure IS DISTINCT FROM 'gone'
      WHEN j.state = 'poisoned' THEN true ELSE c.online_enabled END`

const monitoredStatement = `SELECT j.log_id FROM ${monitorJudgements} AND j.log_id = ANY($3::uuid[])`

type VerdictRow = Pick<Row<'judgement', { log_id: string }>, 'log_id' | 'state' | 'verdict' | 'failure'>

/** Prefers a judgement with a verdict, then the gate's own. */
const verdictsStatement = `
  SELECT DISTINCT ON (log_id) log_id, state, verdict, failure FROM (
    SELECT log_id, state, verdict, failure, true AS own FROM judgement WHERE id = ANY($3::uuid[])
    UNION ALL
    SELECT j.log_id, j.state, j.verdict, j.failure, false FROM ${monitorJudgements} AND j.log_id = ANY($4::uuid[])
  ) AS each ORDER BY log_id, verdict IS NULL, own DESC`

function verdictOf({ log_id: logId, state, verdict, failure }: VerdictRow): GateVerdict {
  if (state === 'poisoned') return { logId, state: 'failed', verdict: null, failure: 'poisoned' }
  if (state !== 'done') return { logId, state: 'pending', verdict: null, failure: null }
  return { logId, state: verdict === null ? 'failed' : 'done', verdict, failure }
}
