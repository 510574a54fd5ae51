import type { Verdict } from '@ratchet/contracts/criteria'
import type { Arm } from '@ratchet/contracts/internal-alias'
import type { Pool } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { StoredAlias, StoredAliasEvent } from '../aliases/alias.ts'
import { insertEvent } from '../aliases/pg-alias-events.ts'
import { type AliasRow, aliasOf, gateColumns } from '../aliases/pg-alias-row.ts'
import { deleteCounts } from '../aliases/pg-aliases.ts'
import { enqueueEvent } from '../webhooks/pg-enqueue-event.ts'
import type { CountsByArm, ShadowCounts } from './arm-counts.ts'
import type { SegmentCounts } from './compare-segments.ts'
import type { SavedEvaluation } from './conclude-evaluation.ts'
import type { DrawnAnswer } from './draw-answers.ts'
import type { GateJudge } from './gate-judge.ts'
import { readDrawable, saveDraws } from './pg-drawable.ts'
import { insertLook } from './pg-gate-looks.ts'
import { readArmCounts, readSegmentCounts, readShadowCounts } from './pg-read-counts.ts'

/** An answer that the gate has judged. */
export interface NewCanarySample {
  readonly logId: string
  readonly arm: Arm
  readonly segment: string
  /** One answer of each cluster is stored; null for an answer that belongs to none. */
  readonly cluster: string | null
}

/** A request that the shadow model is to answer. */
export interface NewShadowSample {
  readonly id: string
  readonly logId: string
}

export interface FoundSamples {
  readonly samples: readonly NewCanarySample[]
  readonly shadows: readonly NewShadowSample[]
  /** UUID of the last exchange that was searched. */
  readonly cursorLogId: string
}

/** The grade of people for a sample; null without one. */
export interface SampleGrade {
  readonly logId: string
  readonly grade: Verdict | null
  /** Probability with which the answer was drawn for its judge; null when it was not. A draw of the gate counts as well. */
  readonly probability: number | null
  /** Probability with which a draw of the judge offered it, when people skipped it there; null for all others. */
  readonly skipProbability: number | null
}

/** A sample without an outcome. */
export interface OpenSample {
  readonly logId: string
  readonly arm: Arm
  /** See `NewCanarySample`; the trace id of a run. */
  readonly cluster: string | null
  readonly foundAt: Date
}

/** A sample with a verdict. */
export type ScoredSample = Pick<OpenSample, 'logId' | 'cluster'>

export interface SampleOutcome {
  readonly logId: string
  readonly verdict: Verdict | null
  /** Null exactly when there is a verdict. */
  readonly failure: string | null
}

export interface Restart {
  readonly judge: GateJudge
  readonly event: StoredAliasEvent
  readonly cursorLogId: string
}

/** Everything that is counted of a split and of the shadow model. */
export interface CanaryCounts {
  readonly arms: CountsByArm
  readonly segments: readonly SegmentCounts[]
  readonly shadow: ShadowCounts | null
}

type Split = Pick<StoredAlias, 'id' | 'epoch'>

export type CanaryStore = ReturnType<typeof createPgCanary>

/** Samples, counts and evaluations of gates in Postgres. Evaluations are due by the clock of the database. */
export function createPgCanary(pool: Pool) {
  return {
    /** Takes aliases whose evaluation is due, except those in progress. Their next one is due after `everyMs`. */
    async take(
      limit: number,
      everyMs: number,
      inProgress: readonly Pick<StoredAlias, 'id'>[],
    ): Promise<readonly StoredAlias[]> {
      const { rows } = await pool.query<AliasRow>(takeStatement, [limit, everyMs, inProgress.map(({ id }) => id)])
      return rows.map(aliasOf)
    },
    /** Adds samples, unless the epoch has ended. */
    addSamples: (split: Split, found: FoundSamples, at: Date) => addSamples(pool, { split, found, at }),
    /** Samples without an outcome that were found until a time. */
    async openSamples({ id, epoch }: Split, until: Date, limit: number): Promise<readonly OpenSample[]> {
      const { rows } = await pool.query<OpenSample>(openStatement, [id, epoch.number, until, limit])
      return rows
    },
    /** Samples with a verdict. Those whose grade was read longest ago come first. */
    async gradableSamples({ id, epoch }: Split, limit: number): Promise<readonly ScoredSample[]> {
      const { rows } = await pool.query<ScoredSample>(gradableStatement, [id, epoch.number, limit])
      return rows
    },
    async saveOutcomes({ id, epoch }: Split, outcomes: readonly SampleOutcome[]): Promise<void> {
      const rows = outcomes.map(({ logId, verdict, failure }) => ({ log_id: logId, verdict, failure }))
      await pool.query(outcomesStatement, [id, epoch.number, JSON.stringify(rows)])
    },
    async saveGrades({ id, epoch }: Split, grades: readonly SampleGrade[], at: Date): Promise<void> {
      const rows = grades.map(({ logId, skipProbability, ...grade }) => {
        return { log_id: logId, ...grade, skip_probability: skipProbability }
      })
      await pool.query(gradesStatement, [id, epoch.number, JSON.stringify(rows), at])
    },
    /**
     * The counts of a split. Verdicts count up to the first sample that is still open, because fast verdicts may differ
     * from slow ones. An answer that is open for ten minutes does not hold back later ones, and a run that is open for 25
     * hours; until then each run has ended, or counts as unfinished.
     */
    async counts(alias: StoredAlias, at: Date): Promise<CanaryCounts> {
      const [arms, segments, shadow] = await Promise.all([
        readArmCounts(pool, alias, at),
        readSegmentCounts(pool, alias, at),
        readShadowCounts(pool, alias),
      ])
      return { arms, segments, shadow }
    },
    /** The counts that a plan needs. */
    async planCounts(alias: StoredAlias, at: Date): Promise<Omit<CanaryCounts, 'segments'>> {
      const [arms, shadow] = await Promise.all([readArmCounts(pool, alias, at), readShadowCounts(pool, alias)])
      return { arms, shadow }
    },
    /** The scored answers of a split that may be drawn for grading, at most `limit` of each arm and verdict. */
    drawable: (alias: StoredAlias, limit: number) => readDrawable(pool, alias, limit),
    /** Records that answers are handed out for grading. Only then do their grades count. */
    saveDraws: (split: Split, drawn: readonly DrawnAnswer[], at: Date) => saveDraws(pool, split, drawn, at),
    /** False when the alias was changed, or evaluated by another process, meanwhile. */
    saveEvaluation: (alias: StoredAlias, evaluation: SavedEvaluation) => saveEvaluation(pool, alias, evaluation),
    /** Starts a new epoch with a changed judge. False when the alias was changed meanwhile. */
    restart: (alias: StoredAlias, { judge, event, cursorLogId }: Restart): Promise<boolean> =>
      inTransaction(pool, async (client) => {
        const revision = [alias.version, alias.epoch.number]
        const values = [alias.id, ...revision, event.createdAt, JSON.stringify(judge), cursorLogId]
        if ((await client.query(restartStatement, values)).rowCount !== 1) return false
        await deleteCounts(client, alias.id)
        await insertEvent(client, event)
        return true
      }),
    /** Deletes counts of epochs that have ended, and old shadow samples. */
    async purge(): Promise<void> {
      for (const table of ['arm_traffic', 'canary_sample']) {
        await pool.query(`DELETE FROM ${table} t USING alias a WHERE a.id = t.alias_id AND t.epoch < a.epoch`)
      }
      await pool.query(oldShadowsStatement, [shadowDays])
    },
  }
}

/** A live split with a gate, or a shadow model. The condition of an index is the same. */
const isWatched = `((gate_mode IS NOT NULL AND canary_percent BETWEEN 1 AND 99) OR shadow_percent > 0)`

/** Taking an alias schedules its next evaluation, so that another process continues when this one ends. */
const takeStatement = `
  UPDATE alias SET look_due_at = now() + $2 * interval '1 millisecond'
  WHERE id IN (SELECT id FROM alias WHERE ${isWatched} AND look_due_at <= now() AND id <> ALL($3::uuid[])
    ORDER BY look_due_at LIMIT $1 FOR UPDATE SKIP LOCKED)
  RETURNING *`

/** Time for which shadow samples are counted, days. */
const shadowDays = 30
const oldShadowsStatement = `
  DELETE FROM shadow_sample WHERE state IN ('done', 'poisoned') AND created_at < now() - $1 * interval '1 day'`

const openStatement = `
  SELECT log_id AS "logId", arm, cluster, created_at AS "foundAt" FROM canary_sample
  WHERE alias_id = $1 AND epoch = $2 AND state = 'open' AND created_at <= $3 ORDER BY log_id LIMIT $4`

const gradableStatement = `
  SELECT log_id AS "logId", cluster FROM canary_sample WHERE alias_id = $1 AND epoch = $2 AND verdict IS NOT NULL
  ORDER BY grade_asked_at NULLS FIRST, log_id DESC LIMIT $3`

const outcomesStatement = `
  UPDATE canary_sample s SET state = 'done', verdict = r.verdict, failure = r.failure
  FROM json_to_recordset($3) AS r(log_id uuid, verdict text, failure text)
  WHERE s.alias_id = $1 AND s.epoch = $2 AND s.log_id = r.log_id AND s.state = 'open'`

const gradesStatement = `
  UPDATE canary_sample s SET grade = r.grade, grade_asked_at = $4,
    grade_probability = CASE WHEN r.grade IS NOT NULL THEN greatest(s.draw_probability, r.probability) END,
    skip_probability = r.skip_probability
  FROM json_to_recordset($3)
    AS r(log_id uuid, grade text, probability double precision, skip_probability double precision)
  WHERE s.alias_id = $1 AND s.epoch = $2 AND s.log_id = r.log_id`

const restartStatement = `
  UPDATE alias SET epoch = epoch + 1, epoch_started_at = $4, gate_judge = $5, cursor_log_id = $6,
    gate_state = 'collecting', gate_reason = NULL, gate_looks = 0, gate_decided_at = NULL, gate_verdict = NULL
  WHERE id = $1 AND version = $2 AND epoch = $3`

const sampleStatement = `
  INSERT INTO canary_sample (alias_id, epoch, log_id, arm, segment, cluster, created_at)
  SELECT $1, $2, r.log_id, r.arm::arm, r.segment, r.cluster, $4
  FROM json_to_recordset($3) AS r(log_id uuid, arm text, segment text, cluster text) ORDER BY r.log_id
  ON CONFLICT DO NOTHING`

const shadowStatement = `
  INSERT INTO shadow_sample (id, alias_id, workspace_id, log_id, model, created_at)
  SELECT r.id, $1, $4, r.log_id, $5, $3 FROM json_to_recordset($2) AS r(id uuid, log_id uuid)
  ON CONFLICT DO NOTHING`

interface NewSamples {
  readonly split: Split
  readonly found: FoundSamples
  readonly at: Date
}

async function addSamples(pool: Pool, { split: { id, epoch }, found, at }: NewSamples): Promise<void> {
  await inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ workspace_id: string; shadow_model: string | null }>(
      'UPDATE alias SET cursor_log_id = $3 WHERE id = $1 AND epoch = $2 RETURNING workspace_id, shadow_model',
      [id, epoch.number, found.cursorLogId],
    )
    const [alias] = rows
    if (alias === undefined) return
    const samples = found.samples.map(({ logId, ...sample }) => ({ log_id: logId, ...sample }))
    if (samples.length > 0) await client.query(sampleStatement, [id, epoch.number, JSON.stringify(samples), at])
    const shadows = found.shadows.map(({ id: shadowId, logId }) => ({ id: shadowId, log_id: logId }))
    if (shadows.length === 0 || alias.shadow_model === null) return
    const values = [id, JSON.stringify(shadows), at, alias.workspace_id, alias.shadow_model]
    await client.query(shadowStatement, values)
  })
}

async function saveEvaluation(
  pool: Pool,
  alias: StoredAlias,
  { gate, event, notice, look }: SavedEvaluation,
): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    const columns = gateColumns(gate)
    const names = Object.keys(columns)
    const sets = names.map((name, index) => `${name} = $${index + 5}`).join(', ')
    const text = `UPDATE alias SET ${sets} WHERE id = $1 AND version = $2 AND epoch = $3 AND gate_looks = $4`
    const { rowCount } = await client.query(text, [
      alias.id,
      alias.version,
      alias.epoch.number,
      alias.gate.evaluations,
      ...Object.values(columns),
    ])
    if (rowCount !== 1) return false
    await insertLook(client, look)
    if (event !== null) await insertEvent(client, event)
    if (notice !== null) {
      const timestamp = gate.evaluatedAt ?? alias.updatedAt
      await enqueueEvent(client, { ...notice, workspaceId: alias.workspaceId, timestamp })
    }
    return true
  })
}
