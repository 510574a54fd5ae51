import { publicId } from '@ratchet/contracts/public-id'
import type { Pool } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import { storableText } from '@ratchet/service-kit/values/storable-text'
import { createPgRunLeases } from '@ratchet/work-kit/leases/pg-run-leases'
import { addNotice } from '../notices/pg-notices.ts'
import { type RoundRow, roundOf } from './pg-round-row.ts'
import { pgRoundSamples } from './pg-round-samples.ts'
import type { DrivenRound, RoundWork } from './round.ts'

/** Rounds in Postgres, as workers change them. */
export function createPgRoundWork(pool: Pool): RoundWork {
  const leases = createPgRunLeases<RoundRow, DrivenRound>(
    pool,
    { table: 'raft_round', open: `r.status NOT IN ('done', 'failed', 'cancelled')`, ready: 'true' },
    (row) => ({ ...roundOf(row), generation: row.generation, attempts: row.attempts }),
  )
  return {
    ...pgRoundSamples(pool),
    take: leases.take,
    renew: leases.renew,
    release: leases.release,
    async say({ workspaceId, id, generation }, message) {
      await pool.query(sayStatement, [workspaceId, id, generation, message])
    },
    async warn({ workspaceId, id, generation }, message) {
      await pool.query(warnStatement, [workspaceId, id, generation, storableText(message, 2_000)])
    },
    async advance({ workspaceId, id, generation }, to, changes = {}) {
      const { curation, datasetId, jobId, modelVersionId } = changes
      const found = [curation === undefined ? null : JSON.stringify(curation), datasetId ?? null, jobId ?? null]
      const values = [workspaceId, id, generation, to, ...found, modelVersionId ?? null]
      return (await pool.query(advanceStatement, values)).rowCount === 1
    },
    finish: (round, holdout, message, at) =>
      inTransaction(pool, async (client) => {
        const { workspaceId, id, generation } = round
        const values = [workspaceId, id, generation, holdout === null ? null : JSON.stringify(holdout), message, at]
        if ((await client.query(finishStatement, values)).rowCount !== 1) return false
        await addNotice(client, noticeOf(round, 'done'))
        return true
      }),
    fail: (round, { code, message }, { curation }, at) =>
      inTransaction(pool, async (client) => {
        const { workspaceId, id, generation } = round
        const found = curation === undefined ? null : JSON.stringify(curation)
        const values = [workspaceId, id, generation, code, storableText(message, 2_000), found, at]
        if ((await client.query(failStatement, values)).rowCount !== 1) return false
        await addNotice(client, noticeOf(round, 'failed'))
        return true
      }),
  }
}

/** A round that is resumed and fails again is another event. */
function noticeOf({ workspaceId, id, generation }: DrivenRound, status: 'done' | 'failed') {
  const data = { object: 'raft.round', id: publicId('raftRound', id), status }
  return { id: noticeId(id, generation), workspaceId, type: `raft.round.${status}` as const, data }
}

/** The same in every repetition of a step: the last digits of the round's id give way to the generation. */
function noticeId(id: string, generation: number): string {
  return `${id.slice(0, 28)}${generation.toString(16).padStart(8, '0')}`
}

const held = 'workspace_id = $1 AND id = $2 AND generation = $3'

const sayStatement = `UPDATE raft_round SET status_message = $4 WHERE ${held} AND status_message IS DISTINCT FROM $4`

const warnStatement = `
  UPDATE raft_round SET warnings = (warnings::jsonb || to_jsonb($4::text))::text
  WHERE ${held} AND NOT warnings::jsonb ? $4`

const advanceStatement = `
  UPDATE raft_round SET status = $4, stage = $4, status_message = NULL, attempts = 0,
    curation = coalesce($5, curation), dataset_id = coalesce($6::uuid, dataset_id), job_id = coalesce($7::uuid, job_id),
    job_number = job_number + ($7::uuid IS NOT NULL)::int, model_version_id = coalesce($8::uuid, model_version_id)
  WHERE ${held}`

const finishStatement = `
  UPDATE raft_round SET status = 'done', holdout = $4, status_message = $5, finished_at = $6 WHERE ${held}`

const failStatement = `
  UPDATE raft_round SET status = 'failed', error_code = $4, status_message = $5, curation = coalesce($6, curation),
    finished_at = $7 WHERE ${held}`
