import { ToolAnswer } from '@ratchet/contracts/environment-tools'
import type { ToolMiss } from '@ratchet/contracts/environment-tools-body'
import type { Pool } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { Row } from '@ratchet/db/row'
import type { ToolSettings } from './environment-tool.ts'
import { sealedOf } from './pg-tools.ts'
import type { Begun, BegunCall, KeptTools, ToolCallStore, UsedTool } from './tool-call-store.ts'
import type { RunToolCounts, ToolRun } from './tool-calls.ts'

/** Calls of runs in Postgres. */
export function createPgToolCalls(pool: Pool): ToolCallStore {
  return {
    async use(run, kept) {
      await keepTools(pool, run, kept)
    },
    async used({ workspaceId, runId }) {
      const { rows } = await pool.query<UsedRow>(usedStatement, [workspaceId, runId])
      return rows.map(usedOf)
    },
    async release({ workspaceId, runId }) {
      await pool.query('DELETE FROM environment_tool_use WHERE workspace_id = $1 AND run_id = $2', [workspaceId, runId])
    },
    begin: (run, call) => begin(pool, run, call),
    async end({ workspaceId, runId }, { callId, answer, durationMs }) {
      const outcome = answer.error?.code ?? 'answered'
      const values = [workspaceId, runId, callId, JSON.stringify(answer), outcome, answer.recorded_hit, durationMs]
      await pool.query(endStatement, values)
      const { rows } = await pool.query<{ answer: string | null }>(answerStatement, [workspaceId, runId, callId])
      return rows[0]?.answer == null ? answer : ToolAnswer.parse(JSON.parse(rows[0].answer))
    },
    async giveUp({ workspaceId, runId }, callId) {
      await pool.query(giveUpStatement, [workspaceId, runId, callId])
    },
    async lastReward({ workspaceId, runId }, { rolloutId, toolId }) {
      const values = [workspaceId, runId, rolloutId, toolId]
      const { rows } = await pool.query<{ reward: number }>(lastRewardStatement, values)
      return rows[0]?.reward ?? null
    },
    async counts({ workspaceId, runId }, since) {
      const { rows } = await pool.query<RunToolCounts>(countsStatement, [workspaceId, runId, since])
      return rows[0] ?? { calls: 0, failures: 0, recordedCalls: 0, recordedHits: 0 }
    },
    async releaseEnded() {
      return (await pool.query(releaseEndedStatement)).rowCount ?? 0
    },
    async forget(before) {
      return (await pool.query(forgetStatement, [before])).rowCount ?? 0
    },
  }
}

/**
 * Keeps the present versions of tools for a run, in the transaction that creates it.
 *
 * @returns how many there were
 */
export async function keepTools(
  client: Pick<Pool, 'query'>,
  { workspaceId, runId }: ToolRun,
  { toolIds, use, onMiss }: KeptTools,
): Promise<number> {
  return (await client.query(useStatement, [workspaceId, runId, toolIds, use, onMiss])).rowCount ?? 0
}

/** Keeps these advisory locks apart from those of other tables. */
const lockSeed = 0x6361_6c6c

/** Calls of an episode begin one after the other, so that concurrent ones cannot exceed its maximum. */
function begin(pool: Pool, { workspaceId, runId }: ToolRun, call: BegunCall): Promise<Begun> {
  const { callId, rolloutId, toolId, maxCalls, ofRun, isGrading, leaseMs, at } = call
  return inTransaction(pool, async (client): Promise<Begun> => {
    await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, $2))', [`${runId} ${rolloutId}`, lockSeed])
    const { rows } = await client.query<CallRow>(findStatement, [workspaceId, runId, callId])
    const [found] = rows
    if (found?.answer != null) return { kind: 'known', answer: ToolAnswer.parse(JSON.parse(found.answer)) }
    if (found?.busy === true) return { kind: 'busy' }
    if (found !== undefined) {
      await client.query(leaseStatement, [workspaceId, runId, callId, leaseMs])
      return { kind: 'taken' }
    }
    if (ofRun !== null) {
      const counted = await client.query<{ calls: number; bytes: string }>(countStatement, [workspaceId, runId])
      const { calls = 0, bytes = '0' } = counted.rows[0] ?? {}
      if (calls > ofRun.maxCalls || Number(bytes) > ofRun.maxBytes) return { kind: 'exhausted' }
    }
    const values = [workspaceId, runId, callId, rolloutId, toolId, leaseMs, at, isGrading]
    const added = await client.query<{ before: number }>(beginStatement, values)
    // The name belongs to a call of another episode, which is being made.
    if (added.rows[0] === undefined) return { kind: 'busy' }
    return { kind: added.rows[0].before >= maxCalls ? 'over' : 'taken' }
  })
}

const useStatement = `
  INSERT INTO environment_tool_use (run_id, tool_id, use, version_id, workspace_id, position, on_miss)
  SELECT $2, t.id, $4, v.id, t.workspace_id, o.position, $5
  FROM unnest($3::uuid[]) WITH ORDINALITY AS o(id, position)
  JOIN environment_tool t ON t.id = o.id AND t.workspace_id = $1
  JOIN environment_tool_version v ON v.tool_id = t.id AND v.workspace_id = t.workspace_id AND v.version = t.version
  ON CONFLICT (run_id, tool_id, use) DO NOTHING`

const usedStatement = `
  SELECT u.use, u.tool_id, u.version_id, u.workspace_id, u.on_miss, v.version, v.settings, s.key_id, s.nonce, s.ciphertext
  FROM environment_tool_use u
  JOIN environment_tool_version v ON v.id = u.version_id AND v.workspace_id = u.workspace_id
  LEFT JOIN environment_tool_secret s ON s.id = v.id AND s.workspace_id = v.workspace_id
  WHERE u.workspace_id = $1 AND u.run_id = $2 ORDER BY u.use DESC, u.position`

type UsedRow = Pick<Row<'environmentToolUse'>, 'tool_id' | 'version_id' | 'workspace_id' | 'on_miss'> &
  Pick<Row<'environmentToolVersion'>, 'version' | 'settings'> & {
    readonly use: UsedTool['use']
    readonly key_id: string | null
    readonly nonce: Buffer | null
    readonly ciphertext: Buffer | null
  }

function usedOf(row: UsedRow): UsedTool {
  return {
    use: row.use,
    workspaceId: row.workspace_id,
    toolId: row.tool_id,
    versionId: row.version_id,
    version: row.version,
    settings: settingsOf(row),
    secrets: sealedOf(row),
  }
}

/** What a run says of calls without a recording counts for its own calls. */
function settingsOf({ settings: text, on_miss: onMiss }: Pick<UsedRow, 'settings' | 'on_miss'>): ToolSettings {
  const settings = JSON.parse(text) as ToolSettings
  if (onMiss === null || settings.recorded === null) return settings
  return { ...settings, recorded: { ...settings.recorded, onMiss: onMiss as ToolMiss } }
}

interface CallRow {
  readonly answer: string | null
  readonly busy: boolean
}

const findStatement = `
  SELECT answer, leased_until > now() AS busy FROM tool_call WHERE workspace_id = $1 AND run_id = $2 AND call_id = $3`

const leaseStatement = `
  UPDATE tool_call SET leased_until = now() + $4 * interval '1 millisecond'
  WHERE workspace_id = $1 AND run_id = $2 AND call_id = $3`

const beginStatement = `
  INSERT INTO tool_call (workspace_id, run_id, call_id, rollout_id, tool_id, leased_until, created_at, is_grading)
  VALUES ($1, $2, $3, $4, $5, now() + $6 * interval '1 millisecond', $7, $8)
  ON CONFLICT (run_id, call_id) DO NOTHING
  RETURNING (SELECT count(*)::int FROM tool_call c WHERE c.workspace_id = $1 AND c.run_id = $2 AND c.rollout_id = $4
    AND c.tool_id IS NOT DISTINCT FROM $5) AS before`

const countStatement = `
  UPDATE grpo_run r SET tool_calls = r.tool_calls + 1 WHERE r.workspace_id = $1 AND r.id = $2
  RETURNING r.tool_calls AS calls, r.tool_bytes::text AS bytes`

const endStatement = `
  WITH ended AS (
    UPDATE tool_call SET answer = $4, outcome = $5, recorded_hit = $6, duration_ms = $7
    WHERE workspace_id = $1 AND run_id = $2 AND call_id = $3 AND answer IS NULL RETURNING octet_length(answer) AS bytes
  )
  UPDATE grpo_run r SET tool_bytes = r.tool_bytes + ended.bytes FROM ended WHERE r.workspace_id = $1 AND r.id = $2`

const answerStatement = 'SELECT answer FROM tool_call WHERE workspace_id = $1 AND run_id = $2 AND call_id = $3'

const lastRewardStatement = `
  SELECT (c.answer::jsonb ->> 'reward')::float8 AS reward FROM tool_call c
  WHERE c.workspace_id = $1 AND c.run_id = $2 AND c.rollout_id = $3 AND c.tool_id = $4
    AND c.answer::jsonb ->> 'reward' IS NOT NULL
  ORDER BY c.created_at DESC, c.call_id DESC LIMIT 1`

const giveUpStatement = `
  UPDATE tool_call SET leased_until = now() WHERE workspace_id = $1 AND run_id = $2 AND call_id = $3 AND answer IS NULL`

/** Outcomes that are failures of the tool, not of the model that called it. */
export const failedOutcomes = `('timeout', 'unavailable', 'refused', 'invalid_answer', 'suspended')`

const countsStatement = `
  SELECT count(*)::int AS calls,
    (count(*) FILTER (WHERE outcome IN ${failedOutcomes}))::int AS failures,
    (count(*) FILTER (WHERE recorded_hit IS NOT NULL))::int AS "recordedCalls",
    (count(*) FILTER (WHERE recorded_hit))::int AS "recordedHits"
  FROM tool_call WHERE workspace_id = $1 AND run_id = $2 AND answer IS NOT NULL AND created_at >= $3`

/** Of all workspaces. */
const releaseEndedStatement = `
  DELETE FROM environment_tool_use u WHERE EXISTS (
    SELECT FROM training_job j LEFT JOIN grpo_run r ON r.id = j.id AND r.workspace_id = j.workspace_id
    WHERE j.id = u.run_id AND j.workspace_id = u.workspace_id
      AND (j.status IN ('failed', 'cancelled') OR r.stage <> 'training'))`

/** Of all workspaces. */
const forgetStatement = `
  DELETE FROM tool_call WHERE (run_id, call_id) IN (
    SELECT c.run_id, c.call_id FROM tool_call c
    WHERE c.created_at < $1 AND NOT EXISTS (SELECT FROM environment_tool_use u WHERE u.run_id = c.run_id)
    ORDER BY c.created_at LIMIT 5000)`
