import type { Pool } from '@ratchet/db/connect-pool'
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
  SELECT r.id, r.criterion_id, r.result FROM criterion c
  JOIN judge_run r ON r.criterion_id = c.id AND r.kind = 'improvement' AND r.status = 'DONE'
  WHERE c.workspace_id = $1 AND r.id > $2
  ORDER BY r.id LIMIT ${pageSize}`

interface ImprovementRow {
  readonly id: string
  readonly criterion_id: string
  readonly result: string
}

/** All prompts that improvements of a workspace have proposed, whether they were taken over or not. */
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
