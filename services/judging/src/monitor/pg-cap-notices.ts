import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import type { Row } from '@ratchet/db/row'
import type { CriterionKey } from '../criteria/criterion.ts'
import { weekWindow } from '../runs/week-window.ts'
import { type CapNotices, capNotice } from './cap-notice.ts'

/** The event is stored in the transaction that notes the week, so that it is sent once by any number of workers. */
export function createPgCapNotices(pool: Pool): CapNotices {
  return { note: (judge, at) => inTransaction(pool, (client) => note(client, judge, at)) }
}

const noteStatement = `
  UPDATE criterion SET cap_reached_week = $3, cap_reached_nano = online_cap_nano, cap_reached_at = $4
  WHERE workspace_id = $1 AND id = $2 AND online_cap_nano > 0
    AND (cap_reached_week IS DISTINCT FROM $3 OR cap_reached_nano < online_cap_nano)
  RETURNING name, online_cap_nano`

const addStatement = `
  INSERT INTO judging_notice (id, workspace_id, type, data, created_at) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT DO NOTHING`

type ReachedRow = Pick<Row<'criterion'>, 'name' | 'online_cap_nano'>

async function note(client: PoolClient, { workspaceId, id }: CriterionKey, at: Date): Promise<void> {
  const { rows } = await client.query<ReachedRow>(noteStatement, [workspaceId, id, weekWindow(at).start, at])
  for (const { name, online_cap_nano: cap } of rows) {
    const notice = capNotice({ id, workspaceId, name, capNano: BigInt(cap) }, at)
    await client.query(addStatement, [notice.id, workspaceId, notice.type, JSON.stringify(notice.data), at])
  }
}
