import { randomUUID } from 'node:crypto'
import { eventually } from '@ratchet/testing/eventually'
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
  readonly failures: number
  readonly last_error: string | null
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

/** The judgements of a set, in the order of their exchanges, once each has a result or was given up. */
export function judgementsOver(account: Account, set: PlannedSet, withinMs = 60_000): Promise<readonly JudgedRow[]> {
  return eventually(
    async () => {
      const rows = await readJudgements(account, set)
      return rows.every(({ state }) => state === 'done' || state === 'poisoned') ? rows : null
    },
    { withinMs, everyMs: 100 },
  )
}

/** What was found about each exchange, without what names a judgement or tells how it went. */
export function findingsOf(rows: readonly JudgedRow[]): readonly object[] {
  return rows.map(({ log_id, verdict, failure, explanation, judge_model_resolved, cost_nano }) => ({
    log_id,
    verdict,
    failure,
    explanation,
    judge_model_resolved,
    cost_nano,
  }))
}

/** The judgements of a set, in the order of their exchanges. */
export function readJudgements(account: Account, { criterionId }: PlannedSet): Promise<readonly JudgedRow[]> {
  return withClient(account, async (client) => {
    const text = 'SELECT * FROM judgement WHERE criterion_id = $1 ORDER BY log_id'
    return (await client.query<JudgedRow>(text, [criterionId])).rows
  })
}

/** Has something happen to the judgements of a set that otherwise takes its time: `set` is SQL, behind `UPDATE … SET`. */
export function changeJudgements(fleet: Database, { ids }: PlannedSet, set: string, state?: string): Promise<void> {
  return withClient(fleet, async (client) => {
    await client.query(`UPDATE judgement SET ${set} WHERE id = ANY($1) AND ($2::text IS NULL OR state::text = $2)`, [
      ids,
      state ?? null,
    ])
  })
}

/** The samples of an eval, by UUID. */
export function readSampleIds(fleet: Database, runId: string): Promise<readonly string[]> {
  return withClient(fleet, async (client) => {
    const { rows } = await client.query<{ id: string }>('SELECT id FROM eval_sample WHERE run_id = $1', [runId])
    return rows.map(({ id }) => id)
  })
}

/** Judgements and samples of evals that a worker has taken on. */
export function countLeases(fleet: Database): Promise<number> {
  return withClient(fleet, async (client) => {
    const { rows } = await client.query<{ leased: string }>(
      `SELECT (SELECT count(*) FROM judgement WHERE state = 'leased')
            + (SELECT count(*) FROM eval_sample WHERE state = 'leased') AS leased`,
    )
    return Number(rows[0]?.leased ?? 0)
  })
}

/** Lets every lease of a judge's or an eval's work run out, as they do with time. */
export function endLeases(fleet: Database): Promise<void> {
  return withClient(fleet, async (client) => {
    await client.query(`UPDATE judgement SET due_at = now() WHERE state = 'leased'`)
    await client.query(`UPDATE eval_sample SET due_at = now() WHERE state = 'leased'`)
    await client.query('UPDATE judge_run SET leased_until = now() WHERE leased_until > now()')
    await client.query('UPDATE eval_run SET leased_until = now() WHERE leased_until > now()')
  })
}

/** What work came to that the fleet's own calls paid for: by the books, and by the results that are kept. */
export interface PaidWork {
  /** Calls of judges and evals that are charged. */
  readonly charges: number
  /** Nano-dollars. */
  readonly billedNano: bigint
  readonly storedNano: bigint
}

/** Where nothing but judgements and evals was asked for, what is billed is what is stored. */
export function readPaidWork(account: Account): Promise<PaidWork> {
  return withClient(account, async (client) => {
    const { rows } = await client.query(
      `SELECT b.charges, b.billed, j.cost + a.cost + l.cost AS stored
         FROM (SELECT count(*) AS charges, coalesce(sum(cost), 0) AS billed FROM billing_request
                WHERE wallet_id = $1 AND kind IN ('judge', 'eval') AND state = 'posted') b,
              (SELECT coalesce(sum(cost_nano), 0) AS cost FROM judgement WHERE workspace_id = $1) j,
              (SELECT coalesce(sum(cost_nano), 0) AS cost FROM eval_answer WHERE NOT recorded
                AND run_id IN (SELECT id FROM eval_run WHERE workspace_id = $1)) a,
              (SELECT coalesce(sum(cost_nano), 0) AS cost FROM eval_look
                WHERE run_id IN (SELECT id FROM eval_run WHERE workspace_id = $1)) l`,
      [account.workspace.workspaceId],
    )
    const [{ charges, billed, stored }] = rows
    return { charges: Number(charges), billedNano: BigInt(billed), storedNano: BigInt(stored) }
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
