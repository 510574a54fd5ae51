import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import { createPgItems } from '@ratchet/work-kit/leases/pg-items'
import type { RunKind } from '../runs/judge-run.ts'
import { isWeekly } from '../runs/weekly-sources.ts'
import type { JudgementOutcome, JudgementStore, LeasedJudgement, PlannedJudgement, RunProgress } from './judgement.ts'
import { doneOf, type JudgementRow, judgementColumns, plannedOf } from './pg-judgement-row.ts'

export function createPgJudgements(pool: Pool): JudgementStore {
  const items = createPgItems<LeasedRow, LeasedJudgement>(
    pool,
    {
      table: 'judgement',
      reads: { from: leaseFrom, where: 'c.id = t.criterion_id AND k.id = t.id' },
      leased,
      completed,
    },
    leasedOf,
  )
  return {
    ...items,
    plan: (judgements) => plan(pool, judgements),
    complete: (judgement, outcome, at) => items.complete(judgement, [...outcomeValues(outcome), at]),
    async hasEarlierUnderWay({ id, runId }) {
      const text = `SELECT EXISTS (SELECT 1 FROM judgement
        WHERE run_id = $1 AND state = 'leased' AND due_at > now() AND id < $2) AS held`
      const { rows } = await pool.query<{ held: boolean }>(text, [runId, id])
      return rows[0]?.held === true
    },
    async hasOthersUnderWay({ id, workspaceId, criterionId }) {
      const text = `SELECT EXISTS (SELECT 1 FROM judgement
        WHERE workspace_id = $1 AND criterion_id = $2 AND state = 'leased' AND due_at > now() AND id <> $3) AS held`
      const { rows } = await pool.query<{ held: boolean }>(text, [workspaceId, criterionId, id])
      return rows[0]?.held === true
    },
    async isOver(runId) {
      const text = `SELECT NOT EXISTS (SELECT 1 FROM judgement
        WHERE run_id = $1 AND state IN ('pending', 'leased')) AS over`
      const { rows } = await pool.query<{ over: boolean }>(text, [runId])
      return rows[0]?.over === true
    },
    progressOf: (runId) => progressOf(pool, runId),
    ofRun: (runId) => ofRun(pool, runId),
  }
}

interface LeasedRow
  extends JudgementRow,
    Pick<Row<'judgement'>, 'generation' | 'failures'>,
    Pick<Row<'criterion'>, 'judge_model' | 'checks' | 'online_cap_nano' | 'unit'> {
  readonly criterion_prompt: string
  readonly current_instrument: number
  readonly requested: boolean
  readonly requested_by: string
  readonly week_start: Date
  readonly week_end: Date
  readonly run_cap_nano: string | null
  readonly run_created_at: Date | null
  readonly run_kind: RunKind | null
}

/** The criterion, the current week and the run, if there is one. */
const leaseFrom = `criterion c, (SELECT date_trunc('week', now(), 'UTC') AS week_start) AS clock,
  judgement k LEFT JOIN judge_run run ON run.id = k.run_id`

const leased = `${judgementColumns.replace(/(\w+)(,?)/g, 't.$1$2')}, t.generation, t.failures,
  c.judge_prompt AS criterion_prompt, c.judge_model, c.checks, c.unit, c.instrument AS current_instrument,
  CASE WHEN t.source = 'online' THEN c.online_enabled AND c.status = 'draft'
    WHEN t.source IN ('gate', 'shadow', 'drift_replay') THEN c.status = 'draft' ELSE true END AS requested,
  coalesce(run.created_by, c.created_by) AS requested_by, c.online_cap_nano, clock.week_start,
  clock.week_start + interval '7 days' AS week_end, run.max_cost_nano AS run_cap_nano,
  run.created_at AS run_created_at, run.kind AS run_kind`

function leasedOf(row: LeasedRow): LeasedJudgement {
  return {
    ...plannedOf(row),
    generation: row.generation,
    failures: row.failures,
    prompt: row.judge_prompt ?? row.criterion_prompt,
    judgeModel: row.judge_model,
    checks: row.checks as LeasedJudgement['checks'],
    unit: row.unit,
    currentInstrument: row.current_instrument,
    isRequested: row.requested,
    runKind: row.run_kind,
    requestedBy: row.requested_by,
    spendCap: capOf(row),
  }
}

function capOf(row: LeasedRow): LeasedJudgement['spendCap'] {
  const { run_id: runId, run_cap_nano: runCap, run_created_at: runStart } = row
  if (runId !== null && runCap !== null && runStart !== null) {
    return { id: runId, capNano: BigInt(runCap), windowStart: runStart, windowEnd: null }
  }
  const weekly = BigInt(row.online_cap_nano)
  if (!isWeekly(row.source) || weekly === 0n) return null
  return { id: row.criterion_id, capNano: weekly, windowStart: row.week_start, windowEnd: row.week_end }
}

const completed = `state = 'done', verdict = $3, failure = $4, explanation = $5, judge_model_resolved = $6,
  judge_fingerprint = $7, prompt_tokens = $8, completion_tokens = $9, cost_nano = $10, judged_at = $11`

function outcomeValues(outcome: JudgementOutcome): readonly unknown[] {
  const { verdict, failure, explanation, judgeModelResolved, judgeFingerprint } = outcome
  const { promptTokens, completionTokens, costNano } = outcome
  return [
    verdict,
    failure,
    explanation,
    judgeModelResolved,
    judgeFingerprint,
    promptTokens,
    completionTokens,
    String(costNano),
  ]
}

const rowsPerInsert = 500

async function plan(pool: Pool, judgements: readonly PlannedJudgement[]): Promise<readonly string[]> {
  const added: string[] = []
  for (let from = 0; from < judgements.length; from += rowsPerInsert) {
    const rows = judgements.slice(from, from + rowsPerInsert).map(plannedRow)
    const { rows: inserted } = await pool.query<{ id: string }>(planStatement, [JSON.stringify(rows)])
    added.push(...inserted.map(({ id }) => id))
  }
  return added
}

const planColumns = `id, workspace_id, criterion_id, run_id, source, instrument, judge_prompt, judged_response, log_id,
  trace_id, step_ids, snapshot_id, label_id, human, weight, stratum, segment, tag, canary, item_at, expires_at, created_at`

const planStatement = `
  INSERT INTO judgement (${planColumns})
  SELECT ${planColumns} FROM json_populate_recordset(NULL::judgement, $1)
  ON CONFLICT DO NOTHING RETURNING id`

function plannedRow(planned: PlannedJudgement) {
  return {
    id: planned.id,
    workspace_id: planned.workspaceId,
    criterion_id: planned.criterionId,
    run_id: planned.runId,
    source: planned.source,
    instrument: planned.instrument,
    judge_prompt: planned.judgePrompt,
    judged_response: planned.judgedResponse === null ? null : JSON.stringify(planned.judgedResponse),
    log_id: planned.item.kind === 'log' ? planned.item.logId : null,
    trace_id: planned.item.kind === 'run' ? planned.item.traceId : null,
    step_ids: planned.item.kind === 'run' ? planned.item.stepIds : [],
    snapshot_id: planned.item.kind === 'snapshot' ? planned.item.snapshotId : null,
    label_id: planned.labelId,
    human: planned.human,
    weight: 1 / planned.samplingProbability,
    stratum: planned.stratum,
    segment: planned.segment,
    tag: planned.tag,
    canary: planned.isCanary,
    item_at: planned.itemAt,
    expires_at: planned.expiresAt,
    created_at: planned.createdAt,
  }
}

async function progressOf(pool: Pool, runId: string): Promise<RunProgress> {
  const { rows } = await pool.query<{ total: number; done: number; dead_lettered: number; cost_nano: string }>(
    `SELECT count(*)::int AS total, (count(*) FILTER (WHERE state = 'done'))::int AS done,
       (count(*) FILTER (WHERE state = 'poisoned'))::int AS dead_lettered, coalesce(sum(cost_nano), 0)::text AS cost_nano
     FROM judgement WHERE run_id = $1`,
    [runId],
  )
  const { total = 0, done = 0, dead_lettered: deadLettered = 0, cost_nano: costNano = '0' } = rows[0] ?? {}
  return { total, done, deadLettered, costNano: BigInt(costNano) }
}

const pageSize = 500

async function* ofRun(pool: Pool, runId: string) {
  let after = '00000000-0000-0000-0000-000000000000'
  while (true) {
    const { rows } = await pool.query<JudgementRow>(
      `SELECT ${judgementColumns} FROM judgement WHERE run_id = $1 AND state = 'done' AND id > $2 ORDER BY id LIMIT $3`,
      [runId, after, pageSize],
    )
    for (const row of rows) yield doneOf(row)
    const last = rows.at(-1)
    if (last === undefined || rows.length < pageSize) return
    after = last.id
  }
}
