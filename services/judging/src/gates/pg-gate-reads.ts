import type { Verdict } from '@ratchet/contracts/criteria'
import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import type { StoredCriterion } from '../criteria/criterion.ts'
import type { GradeKey } from '../judgements/verdict-reads.ts'
import { runItemId } from '../labels/grading-frame.ts'
import { createPgGradingFrames } from '../labels/pg-grading-frames.ts'
import { idColumns, idTypes, majorityGrades } from '../labels/pg-majority-grades.ts'
import { readUnanswered } from '../labels/pg-unanswered.ts'

type Unit = StoredCriterion['unit']

interface GateInstrument {
  readonly criterionId: string
  readonly instrument: number
  readonly unit: Unit
}

/** Grades of exchanges or of runs. */
interface GateGrades extends GradeKey {
  readonly unit: Unit
}

interface RequestedVerdicts extends GateInstrument {
  /** UUIDs of the gate's own judgements. */
  readonly ids: readonly string[]
  /** UUIDs of log entries, or trace ids of runs, for which verdicts of the monitor count as well. */
  readonly monitored: readonly string[]
}

interface GateVerdict {
  /** UUID of a log entry, or trace id of a run. */
  readonly itemId: string
  readonly state: 'pending' | 'done' | 'failed'
  /** Null unless `state` is done. */
  readonly verdict: Verdict | null
  /** Why there will be no verdict: the failure of the judgement, or `poisoned`. */
  readonly failure: string | null
  readonly isOfMonitor: boolean
}

/** The highest probabilities with which an item was given out; null when it was not. */
interface GateDraw {
  /** Of a draw in which its grade counts. */
  readonly probability: number | null
  /** Of any draw, when people graded others that were given out after it and not it. */
  readonly skipProbability: number | null
}

export type GateReads = ReturnType<typeof createPgGateReads>

export function createPgGateReads(pool: Pool) {
  return {
    /** Those of the items that the monitor judges anyway: a gate uses its verdicts and pays nothing. */
    async monitored(
      { criterionId, instrument, unit }: GateInstrument,
      itemIds: readonly string[],
    ): Promise<ReadonlySet<string>> {
      const { rows } = await pool.query<ItemRow>(monitoredStatement(unit), [criterionId, instrument, itemIds])
      return new Set(rows.map(({ item_id: itemId }) => itemId))
    },
    /** One verdict for an exchange or run. Those that are not planned are left out. */
    async verdicts(requested: RequestedVerdicts): Promise<readonly GateVerdict[]> {
      const { criterionId, instrument, unit, ids, monitored } = requested
      const { rows } = await pool.query<VerdictRow>(verdictsStatement(unit), [criterionId, instrument, ids, monitored])
      return rows.map(verdictOf)
    },
    /** Verdicts among the newest judgements of an instrument, and the cost of all of these. */
    async recentCost({
      id,
      instrument,
    }: Pick<StoredCriterion, 'id' | 'instrument'>): Promise<{ readonly verdicts: number; readonly costNano: bigint }> {
      const { rows } = await pool.query<CostRow>(recentCostStatement, [id, instrument, recentJudgements])
      const [row] = rows
      return { verdicts: row?.verdicts ?? 0, costNano: BigInt(row?.cost_nano ?? 0) }
    },
    /** Majorities of all grades, by item. */
    grades: (key: GateGrades, itemIds: readonly string[]) =>
      majorityGrades(pool, { ...key, itemIds, onlyRandom: false }),
    /** The items that frames and rounds of the judge gave out for grading. */
    async draws(
      criterion: StoredCriterion,
      itemIds: readonly string[],
      at: Date,
    ): Promise<ReadonlyMap<string, GateDraw>> {
      const { workspaceId, id: criterionId, unit } = criterion
      const frameIdOf = (itemId: string) => (unit === 'trace' ? runItemId(workspaceId, itemId) : itemId)
      const frames = createPgGradingFrames(pool)
      const asked = [{ workspaceId, criterionId }, itemIds.map(frameIdOf)] as const
      const unanswered = new Set((await readUnanswered(pool, criterion, at)).map(({ itemKey }) => itemKey))
      const skipped = itemIds.filter((itemId) => unanswered.has(itemId)).map(frameIdOf)
      const [offered, graded, inRounds] = await Promise.all([
        frames.offered(...asked),
        frames.gradedInRounds(...asked),
        frames.offeredInRounds(asked[0], skipped),
      ])
      return new Map(
        itemIds.map((itemId) => {
          const id = frameIdOf(itemId)
          const highest = (inRound: number | undefined) => {
            const probability = Math.max(offered.get(id)?.probability ?? 0, inRound ?? 0)
            return probability === 0 ? null : probability
          }
          const skipProbability = unanswered.has(itemId) ? highest(inRounds.get(id)) : null
          return [itemId, { probability: highest(graded.get(id)), skipProbability }]
        }),
      )
    },
  }
}

interface ItemRow {
  readonly item_id: string
}

interface CostRow {
  readonly verdicts: number
  readonly cost_nano: string
}

const recentJudgements = 200

/** Every purpose is counted: the price of a verdict is the same for a calibration, a monitor and a gate. */
const recentCostStatement = `
  SELECT count(verdict)::int AS verdicts, coalesce(sum(cost_nano), 0)::text AS cost_nano FROM (
    SELECT instrument, verdict, cost_nano FROM judgement WHERE criterion_id = $1 AND state = 'done'
    ORDER BY judged_at DESC, id DESC LIMIT $3
  ) AS recent WHERE instrument = $2`

/**
 * Judgements of the monitor that a gate can use. Pending ones of a monitor that is off will not be judged, and an exchange
 * that was missing may be there now: both count as not planned, so that the gate plans them itself.
 */
const monitorJudgements = `judgement j JOIN criterion c ON c.id = j.criterion_id
  WHERE j.criterion_id = $1 AND j.instrument = $2 AND j.source = 'online'
    AND CASE WHEN j.state = 'done' THEN j.failure IS DISTINCT FROM 'gone'
      WHEN j.state = 'poisoned' THEN true ELSE c.online_enabled END`

const monitoredStatement = (unit: Unit) => `SELECT j.${idColumns[unit]} AS item_id FROM ${monitorJudgements}
    AND j.${idColumns[unit]} = ANY($3::${idTypes[unit]}[])`

interface VerdictRow extends ItemRow, Pick<Row<'judgement'>, 'state' | 'verdict' | 'failure'> {
  readonly own: boolean
}

/** Prefers a judgement with a verdict, then the gate's own. */
const verdictsStatement = (unit: Unit) => `
  SELECT DISTINCT ON (item_id) item_id, state, verdict, failure, own FROM (
    SELECT ${idColumns[unit]} AS item_id, state, verdict, failure, true AS own FROM judgement WHERE id = ANY($3::uuid[])
    UNION ALL
    SELECT j.${idColumns[unit]}, j.state, j.verdict, j.failure, false FROM ${monitorJudgements}
      AND j.${idColumns[unit]} = ANY($4::${idTypes[unit]}[])
  ) AS each ORDER BY item_id, verdict IS NULL, own DESC`

function verdictOf({ item_id: itemId, state, verdict, failure, own }: VerdictRow): GateVerdict {
  const known = { itemId, isOfMonitor: !own }
  if (state === 'poisoned') return { ...known, state: 'failed', verdict: null, failure: 'poisoned' }
  if (state !== 'done') return { ...known, state: 'pending', verdict: null, failure: null }
  return { ...known, state: verdict === null ? 'failed' : 'done', verdict, failure }
}
