import type { Verdict } from '@ratchet/contracts/criteria'
import type { Pool } from '@ratchet/db/connect-pool'
import type { StoredCriterion } from '../criteria/criterion.ts'
import { runItemId } from '../labels/grading-frame.ts'
import { idColumns } from '../labels/pg-majority-grades.ts'
import type { JudgeRun } from '../runs/judge-run.ts'
import type { RiskSigns } from './round-strata.ts'

export interface SignedRound extends Pick<JudgeRun, 'id' | 'workspaceId' | 'criterionId'> {
  readonly unit: StoredCriterion['unit']
}

/** Signs of errors of the judge of a round, in the order of the items: log UUIDs, or ids that `runItemId` derives. */
export type RoundItemSigns = (round: SignedRound, itemIds: readonly string[]) => Promise<readonly StoredSigns[]>

/** Signs that judging stores itself. */
export type StoredSigns = Omit<RiskSigns, 'isContradicted'>

/** Verdicts of other judges, and how long the prompt of the judge was. */
const signsStatement = (unit: StoredCriterion['unit']) => `
  SELECT own.log_id, own.trace_id, coalesce(own.prompt_tokens, 0) AS tokens,
    array_remove(array_agg(other.verdict::text), NULL) AS verdicts
  FROM judgement own
  LEFT JOIN (criterion c JOIN judgement other ON other.criterion_id = c.id AND other.state = 'done'
      AND other.source IN ('online', 'scan', 'gate'))
    ON c.workspace_id = $1 AND c.id <> $3 AND other.${idColumns[unit]} = own.${idColumns[unit]}
  WHERE own.workspace_id = $1 AND own.run_id = $2 AND own.criterion_id = $3
  GROUP BY own.log_id, own.trace_id, own.prompt_tokens`

export function createPgRoundSigns(pool: Pool): RoundItemSigns {
  return async ({ workspaceId, id, criterionId, unit }, itemIds) => {
    const { rows } = await pool.query<SignsRow>(signsStatement(unit), [workspaceId, id, criterionId])
    const found = new Map(rows.map((row) => [row.log_id ?? runItemId(workspaceId, row.trace_id ?? ''), row]))
    return itemIds.map((itemId) => {
      const row = found.get(itemId)
      return { otherVerdicts: row?.verdicts ?? [], tokens: row?.tokens ?? 0 }
    })
  }
}

interface SignsRow {
  readonly log_id: string | null
  readonly trace_id: string | null
  readonly tokens: number
  readonly verdicts: Verdict[]
}
