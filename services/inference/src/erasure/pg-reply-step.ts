import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import type { Erasure, ErasureStep } from '@ratchet/work-kit/erasure/erasure'
import { deriveBillingId } from '../idempotency/billing-id.ts'

interface RecordRow {
  readonly key_hash: Buffer
  readonly generation: string
}

/** Replies that are repeated for an `Idempotency-Key`: those whose request was charged to the person. */
export function replyStep(pool: Pool): ErasureStep {
  return {
    kind: 'repeated_replies',
    count: async (erasure) => (await hashesOf(pool, erasure)).length,
    async erase(client, erasure) {
      const text = `DELETE FROM idempotency_record WHERE workspace_id = $1 AND key_hash = ANY($2) AND state = 'answered'`
      return (await client.query(text, [erasure.workspaceId, await hashesOf(client, erasure)])).rowCount ?? 0
    },
  }
}

async function hashesOf(client: Pick<PoolClient, 'query'>, { id, workspaceId }: Erasure): Promise<readonly Buffer[]> {
  const text = `SELECT key_hash, generation FROM idempotency_record WHERE workspace_id = $1 AND state = 'answered'`
  const { rows } = await client.query<RecordRow>(text, [workspaceId])
  const byId = new Map(
    rows.map(({ key_hash: keyHash, generation }) => [
      deriveBillingId({ workspaceId, keyHash, generation: BigInt(generation) }),
      keyHash,
    ]),
  )
  const known = await client.query<{ value: string }>(
    `SELECT value FROM erasure_reference WHERE erasure_id = $1 AND kind = 'request' AND value = ANY($2)`,
    [id, [...byId.keys()]],
  )
  return known.rows.flatMap(({ value }) => byId.get(value) ?? [])
}
