import { randomUUID } from 'node:crypto'
import pg from 'pg'
import type { Account } from './charge.ts'

/** A judgement as it is stored. */
export interface JudgedRow {
  readonly id: string
  readonly log_id: string
  readonly state: string
  readonly verdict: string | null
  readonly failure: string | null
  readonly explanation: string | null
  readonly judge_model_resolved: string | null
  readonly attempts: number
  readonly generation: number
  /** Nano-dollars. */
  readonly cost_nano: string
}

type Database = Pick<Account, 'databaseUrl'>

export interface PlannedSet {
  readonly criterionId: string
  readonly ids: readonly string[]
}

export interface SetToPlan {
  readonly judgeModel: string
  readonly judgePrompt?: string
  /** Exchanges, by UUID. */
  readonly logIds: readonly string[]
}

/** Plans judgements past the API, as a run of the worker does: one of each exchange. */
export async function planJudgements(account: Account, set: SetToPlan): Promise<PlannedSet> {
  const { judgeModel, judgePrompt = 'The answer contains a mistake.', logIds } = set
  const { workspaceId, userId } = account.workspace
  const criterionId = randomUUID()
  const ids = logIds.map(() => randomUUID())
  await withClient(account, async (client) => {
    await client.query(
      `INSERT INTO criterion (id, workspace_id, name, judge_prompt, judge_model, created_by, created_at)
       VALUES ($1, $2, 'Sound', $3, $4, $5, now())`,
      [criterionId, workspaceId, judgePrompt, judgeModel, userId],
    )
    await client.query(
      `INSERT INTO judgement (id, workspace_id, criterion_id, source, instrument, log_id, created_at)
       SELECT id, $1, $2, 'scan', 1, log_id, now() FROM unnest($3::uuid[], $4::uuid[]) AS planned (id, log_id)`,
      [workspaceId, criterionId, ids, logIds],
    )
  })
  return { criterionId, ids }
}

/** The judgements of a set, in the order of their exchanges. */
export function readJudgements(account: Account, { criterionId }: PlannedSet): Promise<readonly JudgedRow[]> {
  return withClient(account, async (client) => {
    const text = 'SELECT * FROM judgement WHERE criterion_id = $1 ORDER BY log_id'
    return (await client.query<JudgedRow>(text, [criterionId])).rows
  })
}

/** Lets the leases of a set run out, as they do with time. */
export function endLeases(account: Account, { criterionId }: PlannedSet): Promise<void> {
  return withClient(account, async (client) => {
    await client.query(`UPDATE judgement SET due_at = now() WHERE criterion_id = $1 AND state = 'leased'`, [
      criterionId,
    ])
  })
}

/** Forty days pass for the calibrations of a judge, named as the API does: `crit_` and hex digits. */
export function ageCalibrations(fleet: Database, criterionId: string): Promise<void> {
  return withClient(fleet, async (client) => {
    await client.query(
      `UPDATE judge_run SET created_at = created_at - interval '40 days', finished_at = finished_at - interval '40 days'
       WHERE criterion_id = $1::uuid`,
      [criterionId.slice('crit_'.length)],
    )
  })
}

async function withClient<T>({ databaseUrl }: Database, act: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    return await act(client)
  } finally {
    await client.end()
  }
}
