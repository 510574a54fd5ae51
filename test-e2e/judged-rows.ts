import { randomUUID } from 'node:crypto'
import { eventually } from '@ratchet/testing/eventually'
import pg from 'pg'
import type { Account } from './charge.ts'

/** A row of the table `judgement`. */
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
  /** UUIDs of exchanges. */
  readonly logIds: readonly string[]
}

/** Plans one judgement per exchange without the API, like a run of the worker. */
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

/** Waits until each judgement of a set has a result or is dead-lettered; resolves in the order of exchanges. */
export function judgementsOver(account: Account, set: PlannedSet, withinMs = 60_000): Promise<readonly JudgedRow[]> {
  return eventually(
    async () => {
      const rows = await readJudgements(account, set)
      return rows.every(({ state }) => state === 'done' || state === 'poisoned') ? rows : null
    },
    { withinMs, everyMs: 100 },
  )
}

/** The verdicts on exchanges, without ids, attempts and times. */
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

/** Reads the judgements of a set, in the order of exchanges. */
export function readJudgements(account: Account, { criterionId }: PlannedSet): Promise<readonly JudgedRow[]> {
  return withClient(account, async (client) => {
    const text = 'SELECT * FROM judgement WHERE criterion_id = $1 ORDER BY log_id'
    return (await client.query<JudgedRow>(text, [criterionId])).rows
  })
}

/** Changes the judgements of a set to simulate that time has passed; `set` is SQL after `UPDATE … SET`. */
export function changeJudgements(fleet: Database, { ids }: PlannedSet, set: string, state?: string): Promise<void> {
  return withClient(fleet, async (client) => {
    await client.query(`UPDATE judgement SET ${set} WHERE id = ANY($1) AND ($2::text IS NULL OR state::text = $2)`, [
      ids,
      state ?? null,
    ])
  })
}

/** Reads the UUIDs of the samples of an eval. */
export function readSampleIds(fleet: Database, runId: string): Promise<readonly string[]> {
  return withClient(fleet, async (client) => {
    const { rows } = await client.query<{ id: string }>('SELECT id FROM eval_sample WHERE run_id = $1', [runId])
    return rows.map(({ id }) => id)
  })
}

/** Number of judgements and samples of evals with a lease. */
export function countLeases(fleet: Database): Promise<number> {
  return withClient(fleet, async (client) => {
    const { rows } = await client.query<{ leased: string }>(
      `SELECT (SELECT count(*) FROM judgement WHERE state = 'leased')
            + (SELECT count(*) FROM eval_sample WHERE state = 'leased') AS leased`,
    )
    return Number(rows[0]?.leased ?? 0)
  })
}

/** Ends every lease of work of judging and eval, which would otherwise take time. */
export function endLeases(fleet: Database): Promise<void> {
  return withClient(fleet, async (client) => {
    await client.query(`UPDATE judgement SET due_at = now() WHERE state = 'leased'`)
    await client.query(`UPDATE eval_sample SET due_at = now() WHERE state = 'leased'`)
    await client.query('UPDATE judge_run SET leased_until = now() WHERE leased_until > now()')
    await client.query('UPDATE eval_run SET leased_until = now() WHERE leased_until > now()')
  })
}

/** Charges of internal calls, in the ledger and in the stored results. */
export interface PaidWork {
  /** Number of charged calls with the purposes judge and eval. */
  readonly charges: number
  /** Nano-dollars. */
  readonly billedNano: bigint
  readonly storedNano: bigint
}

/** In a workspace with only judgements and evals, the charges must be the stored costs. */
export function readPaidWork(account: Account): Promise<PaidWork> {
  return withClient(account, async (client) => {
    const { rows } = await client.query(
      `SELECT b.charges, b.billed, j.cost + a.cost + l.cost + p.cost AS stored
         FROM (SELECT count(*) AS charges, coalesce(sum(cost), 0) AS billed FROM ledger_request
                WHERE wallet_id = $1 AND kind IN ('judge', 'eval') AND state = 'posted') b,
              (SELECT coalesce(sum(cost_nano), 0) AS cost FROM judgement WHERE workspace_id = $1) j,
              (SELECT coalesce(sum(cost_nano), 0) AS cost FROM eval_answer WHERE NOT recorded
                AND run_id IN (SELECT id FROM eval_run WHERE workspace_id = $1)) a,
              (SELECT coalesce(sum(cost_nano), 0) AS cost FROM eval_look
                WHERE run_id IN (SELECT id FROM eval_run WHERE workspace_id = $1)) l,
              (SELECT coalesce(sum(cost_nano), 0) AS cost FROM eval_panel_verdict
                WHERE run_id IN (SELECT id FROM eval_run WHERE workspace_id = $1)) p`,
      [account.workspace.workspaceId],
    )
    const [{ charges, billed, stored }] = rows
    return { charges: Number(charges), billedNano: BigInt(billed), storedNano: BigInt(stored) }
  })
}

/** Makes the calibrations of a judge forty days older. The id is the public one: `crit_` and hex digits. */
export function ageCalibrations(fleet: Database, criterionId: string): Promise<void> {
  return withClient(fleet, async (client) => {
    await client.query(
      `UPDATE judge_run SET created_at = created_at - interval '40 days', finished_at = finished_at - interval '40 days'
       WHERE criterion_id = $1::uuid`,
      [criterionId.slice('crit_'.length)],
    )
  })
}

/** Makes the calibrations, verdicts and findings of a judge older. The id is the public one. */
export function ageJudge(fleet: Database, criterionId: string, days: number): Promise<void> {
  return withClient(fleet, async (client) => {
    // A trigger refuses changes of finished judgements.
    await client.query('SET session_replication_role = replica')
    // One statement, because a sweep may run at any time. The next one counts the verdicts of each day again.
    await client.query(
      `WITH age AS (SELECT $1::uuid AS id, make_interval(days => $2) AS days),
         runs AS (UPDATE judge_run r SET created_at = r.created_at - age.days, finished_at = r.finished_at - age.days
           FROM age WHERE r.criterion_id = age.id),
         verdicts AS (UPDATE judgement j SET judged_at = j.judged_at - age.days FROM age WHERE j.criterion_id = age.id),
         counts AS (DELETE FROM drift_day d USING age WHERE d.criterion_id = age.id)
       UPDATE criterion c SET drift_checked_at = c.drift_checked_at - age.days,
         drift_flagged_at = c.drift_flagged_at - age.days,
         drift_reference_from = c.drift_reference_from - age.days,
         drift_reference_until = c.drift_reference_until - age.days
       FROM age WHERE c.id = age.id`,
      [criterionId.slice('crit_'.length), days],
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
