import { createHash } from 'node:crypto'
import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import type { Erasure, ErasureStep } from '@ratchet/work-kit/erasure/erasure'
import { isReferenced, isReferencedId, namesPerson } from '@ratchet/work-kit/erasure/pg-steps'

/** An example that was made of an exchange of the person, names the person, or asks what such an example asks. */
export const isOfPerson = `(${isReferencedId('t.source_exchange_id', 'log')}
  OR ${isReferenced('prompt_digest(t.line)', 'prompt')} OR ${namesPerson('t.line')})`

const ofDataset = `dataset_example t JOIN dataset d ON d.id = t.dataset_id
  WHERE d.workspace_id = $2 AND d.frozen_at IS NOT NULL AND ${isOfPerson}`

/** Takes the examples of a person out of datasets, whose numbers and hash are computed again. */
export function exampleStep(pool: Pool): ErasureStep {
  return {
    kind: 'dataset_examples',
    async count({ id, workspaceId }) {
      const text = `SELECT count(*)::int AS count FROM ${ofDataset}`
      const { rows } = await pool.query<{ count: number }>(text, [id, workspaceId])
      return rows[0]?.count ?? 0
    },
    async erase(client, erasure) {
      const values = [erasure.id, erasure.workspaceId]
      const { rows } = await client.query<{ id: string }>(`SELECT d.id FROM ${ofDataset} LIMIT 1`, values)
      return rows[0] === undefined ? 0 : eraseFrom(client, erasure, rows[0].id)
    },
  }
}

async function eraseFrom(client: PoolClient, { id, workspaceId }: Erasure, datasetId: string): Promise<number> {
  const gone = `DELETE FROM dataset_example t WHERE t.dataset_id = $2 AND ${isOfPerson}`
  const erased = (await client.query(gone, [id, datasetId])).rowCount ?? 0
  // In two steps, because positions are unique at any time.
  await client.query('UPDATE dataset_example SET position = -1 - position WHERE dataset_id = $1', [datasetId])
  await client.query(placeStatement, [datasetId])
  const left = await digestOf(client, datasetId)
  await client.query(sizeStatement, [workspaceId, datasetId, left.examples, left.bytes, left.sha256])
  return erased
}

const placeStatement = `
  UPDATE dataset_example e SET position = p.place - 1
  FROM (SELECT position, row_number() OVER (ORDER BY position DESC) AS place FROM dataset_example WHERE dataset_id = $1) p
  WHERE e.dataset_id = $1 AND e.position = p.position`

const sizeStatement = `
  UPDATE dataset SET token_count_estimate = token_count_estimate * $3::int / greatest(example_count, 1), example_count = $3,
    size_bytes = $4, sha256 = $5
  WHERE workspace_id = $1 AND id = $2`

const examplesPerPage = 500

async function digestOf(client: PoolClient, datasetId: string) {
  const content = createHash('sha256')
  let [examples, bytes] = [0, 0]
  for (;;) {
    const text = 'SELECT line FROM dataset_example WHERE dataset_id = $1 AND position >= $2 ORDER BY position LIMIT $3'
    const { rows } = await client.query<{ line: string }>(text, [datasetId, examples, examplesPerPage])
    for (const { line } of rows) {
      content.update(`${line}\n`)
      bytes += Buffer.byteLength(line) + 1
    }
    examples += rows.length
    if (rows.length < examplesPerPage) return { examples, bytes, sha256: content.digest('hex') }
  }
}
