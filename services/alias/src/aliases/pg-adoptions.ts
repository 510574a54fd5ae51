import { publicId } from '@ratchet/contracts/public-id'
import type { PoolClient } from '@ratchet/db/connect-pool'
import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import { enqueueEvent } from '../webhooks/pg-enqueue-event.ts'
import { adoptedArms } from './adopted-arms.ts'
import type { StoredAliasEvent } from './alias.ts'

/**
 * Notes the model versions that an alias begins to route to, with an event for webhooks, and those that get all of its requests, in
 * the transaction of the change.
 */
export async function noteAdoptions(client: PoolClient, event: StoredAliasEvent): Promise<void> {
  const { id: eventId, workspaceId, aliasName, actor, before, after, createdAt } = event
  for (const { model, arm, percent, promoted } of adoptedArms(before, after)) {
    const userId = actor.type === 'user' ? actor.userId : null
    const values = [eventId, model, workspaceId, aliasName, arm, percent, userId, createdAt, promoted]
    const { rows } = await client.query<{ id: string }>(noteStatement, values)
    const [version] = rows
    if (version === undefined || promoted) continue
    await enqueueEvent(client, {
      id: deterministicId('model-adopted', eventId, model),
      workspaceId,
      type: 'model_version.adopted',
      timestamp: createdAt,
      data: {
        object: 'model_version',
        id: publicId('modelVersion', version.id),
        model_id: model,
        alias: aliasName,
        arm,
        percent,
        alias_event_id: publicId('aliasEvent', eventId),
      },
    })
  }
}

/** Nothing for a name that no version of the workspace has. */
const noteStatement = `
  WITH version AS (
    SELECT id, workspace_id, name FROM version_route WHERE workspace_id = $3 AND name = $2
  ), noted AS (
    INSERT INTO model_adoption (event_id, model, workspace_id, alias_name, arm, percent, user_id, created_at, promoted)
    SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9 FROM version ON CONFLICT DO NOTHING
  )
  SELECT id FROM version`
