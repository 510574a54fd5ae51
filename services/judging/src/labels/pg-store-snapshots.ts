import type { PoolClient } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import { withinQuota } from '@ratchet/work-kit/storage/within-quota'
import type { NewLabel } from './label.ts'

/**
 * Stores graded exchanges, each once for a workspace, and returns their ids by hash. A snapshot has the id of its first
 * grade. The caller holds the lock of the workspace.
 *
 * @throws ServiceError `quota_exceeded` when they do not fit into the storage quota of the workspace
 */
export async function storeSnapshots(
  client: PoolClient,
  workspaceId: string,
  labels: readonly NewLabel[],
): Promise<ReadonlyMap<string, string>> {
  const byHash = new Map(labels.toReversed().map(({ id, snapshot }) => [snapshot.sha256, { id, ...snapshot }]))
  const hashes = [...byHash.keys()]
  const known = await idsOf(client, workspaceId, hashes)
  const missing = [...byHash.values()].filter(({ sha256 }) => !known.has(sha256))
  if (missing.length === 0) return known
  const values = [
    workspaceId,
    missing.map(({ id }) => id),
    missing.map(({ sha256 }) => sha256),
    missing.map(({ model }) => model),
    missing.map(({ messages }) => messages),
    missing.map(({ response }) => response),
    missing.map(({ tools }) => tools),
  ]
  const { rows } = await withinQuota(() => client.query<HashRow>(insertStatement, values))
  return new Map([...known, ...mapOf(rows)])
}

type HashRow = Pick<Row<'labelSnapshot'>, 'id' | 'sha256'>

const insertStatement = `
  INSERT INTO label_snapshot (id, workspace_id, sha256, model, messages, response, tools)
  SELECT id, $1, sha256, model, messages, response, tools
  FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
    AS new(id, sha256, model, messages, response, tools)
  RETURNING id, sha256`

async function idsOf(client: PoolClient, workspaceId: string, hashes: readonly string[]) {
  const text = 'SELECT id, sha256 FROM label_snapshot WHERE workspace_id = $1 AND sha256 = ANY($2)'
  return mapOf((await client.query<HashRow>(text, [workspaceId, hashes])).rows)
}

function mapOf(rows: readonly HashRow[]): Map<string, string> {
  return new Map(rows.map(({ id, sha256 }) => [sha256, id]))
}
