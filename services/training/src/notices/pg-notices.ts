import type { WebhookEventType } from '@ratchet/contracts/webhooks'
import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import { workspaceIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import { createPgOutbox } from '@ratchet/work-kit/outbox/pg-outbox'
import type { Outbox } from '@ratchet/work-kit/outbox/publish-outbox'

/** A fact about training that is sent to the webhooks of its workspace. */
export interface TrainingNotice {
  /** UUID. A notice with the id of an earlier one that is still waiting is that one. */
  readonly id: string
  readonly workspaceId: string
  readonly type: WebhookEventType
  /** Names the thing and its state; a receiver reads the rest with its own key. */
  readonly data: Readonly<Record<string, unknown>>
}

/** Writes a notice in the transaction of the change that it reports, so that there is one exactly when there is the other. */
export async function addNotice(client: Pool | PoolClient, notice: TrainingNotice): Promise<void> {
  const { id, workspaceId, type, data } = notice
  await client.query(addStatement, [id, workspaceId, type, JSON.stringify(data)])
}

const addStatement = `
  INSERT INTO training_notice (id, workspace_id, type, data, created_at) VALUES ($1, $2, $3, $4, now())
  ON CONFLICT (id) DO NOTHING`

/**
 * The end of a statement that has changed jobs: a notice for each of these rows, with their state as the event. Of GRPO runs there is
 * one when they pause or fail; the job of a run that fails by its reward is cancelled.
 *
 * @param changed name of a common table expression with the columns of `training_job`
 * @param condition on its rows
 */
export function jobNotices(changed: string, condition = 'true'): string {
  return `
  INSERT INTO training_notice (id, workspace_id, type, data, created_at)
  SELECT gen_random_uuid(), workspace_id, 'fine_tuning.job.' || status,
    json_build_object('object', 'fine_tuning.job', 'id', 'ftjob-' || replace(id::text, '-', ''), 'status', status)::text, now()
  FROM ${changed} WHERE method <> 'grpo' AND ${condition}
  UNION ALL
  SELECT gen_random_uuid(), c.workspace_id, 'grpo.run.' || CASE c.status WHEN 'paused' THEN 'paused' ELSE 'failed' END,
    json_build_object('object', 'grpo.run', 'id', 'grpo_' || replace(c.id::text, '-', ''),
      'status', CASE c.status WHEN 'paused' THEN 'paused' ELSE 'failed' END)::text, now()
  FROM (SELECT * FROM ${changed} WHERE method = 'grpo' AND ${condition}) c
    JOIN grpo_run r ON r.id = c.id AND r.workspace_id = c.workspace_id
  WHERE c.status IN ('paused', 'failed') OR (c.status = 'cancelled' AND r.error_code IS NOT NULL)`
}

/** Notices in Postgres. A notice that ended is deleted. */
export function createPgNotices(pool: Pool): Outbox {
  return createPgOutbox({ pool, identityOf: workspaceIdentity }, { pending: pendingStatement, end: endStatement })
}

const pendingStatement = `
  SELECT * FROM training_notice WHERE $2::timestamptz IS NULL OR (created_at, id) > ($2, $3::uuid)
  ORDER BY created_at, id LIMIT $1`
const endStatement = 'DELETE FROM training_notice WHERE id = ANY($1::uuid[])'
