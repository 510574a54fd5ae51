import type { Verdict } from '@ratchet/contracts/criteria'
import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import type { ImprovementState } from '../assist/improvement.ts'

/** The better prompt that an improvement found. */
export interface ProposedPrompt {
  /** UUID of the improvement, as is the next of its judge. */
  readonly runId: string
  readonly criterionId: string
  /** The prompt that the judge had. */
  readonly before: string
  readonly proposed: string
}

/** A result has some prompts of up to 32 KiB each. */
const pageSize = 50

const statement = `
  SELECT id, criterion_id, result FROM (
    SELECT r.id, r.criterion_id, r.result FROM criterion c
    JOIN judge_run r ON r.criterion_id = c.id AND r.kind = 'improvement' AND r.status = 'DONE'
    WHERE c.workspace_id = $1
    UNION ALL
    SELECT run_id, criterion_id, result FROM deleted_improvement WHERE workspace_id = $1
  ) improvement
  WHERE id > $2 ORDER BY id LIMIT ${pageSize}`

interface ImprovementRow {
  readonly id: string
  readonly criterion_id: string
  readonly result: string
}

/**
 * All prompts that improvements of a workspace have proposed, whether they were taken over or not. Those of deleted judges are among
 * them.
 */
export async function* readProposals(pool: Pool, workspaceId: string): AsyncGenerator<ProposedPrompt> {
  let last = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const { rows } = await pool.query<ImprovementRow>(statement, [workspaceId, last])
    for (const row of rows) yield* proposalOf(row)
    const end = rows.at(-1)
    if (end === undefined || rows.length < pageSize) return
    last = end.id
  }
}

function proposalOf({ id: runId, criterion_id: criterionId, result }: ImprovementRow): readonly ProposedPrompt[] {
  const { phase, best, tried } = JSON.parse(result) as ImprovementState
  const [before, proposed] = [tried[0]?.prompt, tried[best]?.prompt]
  if (phase !== 'done' || best === 0 || before === undefined || proposed === undefined) return []
  return [{ runId, criterionId, before, proposed }]
}

const judgedBy = (run: '$1' | 'r.id') => `
  SELECT DISTINCT l.item_key AS "itemKey", j.human FROM judgement j JOIN label l ON l.id = j.label_id
  WHERE j.run_id = ${run} AND j.human IS NOT NULL`

/** Graded items that a run has judged, with the verdicts of people. */
export async function readJudgedItems(
  pool: Pool,
  runId: string,
): Promise<readonly { readonly itemKey: string; readonly human: Verdict }[]> {
  const text = `${judgedBy('$1')} UNION
    SELECT item->>'itemKey', (item->>'human')::verdict
    FROM deleted_improvement, json_array_elements(items::json) item WHERE run_id = $1`
  const { rows } = await pool.query<{ itemKey: string; human: Verdict }>(text, [runId])
  return rows
}

/** Keeps what the improvements of a judge have tuned prompts on. It is called before the judge is deleted, with its runs. */
export async function keepProposals(
  client: Pick<PoolClient, 'query'>,
  { workspaceId, id }: { readonly workspaceId: string; readonly id: string },
): Promise<void> {
  const text = `INSERT INTO deleted_improvement (run_id, workspace_id, criterion_id, result, items)
    SELECT r.id, r.workspace_id, r.criterion_id, r.result, coalesce((
      SELECT json_agg(item) FROM (${judgedBy('r.id')}) item
    ), '[]')::text
    FROM judge_run r
    WHERE r.workspace_id = $1 AND r.criterion_id = $2 AND r.kind = 'improvement' AND r.status = 'DONE'
      AND r.result IS NOT NULL
    ON CONFLICT (run_id) DO NOTHING`
  await client.query(text, [workspaceId, id])
}
