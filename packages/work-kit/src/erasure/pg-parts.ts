import type { ErasingService } from '@ratchet/contracts/erasure-passes'
import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import type { Erasure } from './erasure.ts'

interface PartRow {
  readonly id: string
  readonly workspace_id: string
  readonly person: string
  readonly person_id: string
  readonly pseudonym: string
  readonly pass: number
}

export type ErasureParts = ReturnType<typeof createPgErasureParts>

/** The parts of one service in the erasures of persons. */
export function createPgErasureParts(pool: Pool, service: ErasingService) {
  return {
    /** The oldest erasure in whose pass this service has work to do, for as long as the lease. */
    async take(leaseMs: number): Promise<Erasure | null> {
      const { rows } = await pool.query<PartRow>(takeStatement, [service, leaseMs])
      return rows[0] === undefined ? null : erasureOf(rows[0])
    },
    async found({ id }: Erasure, counts: Readonly<Record<string, number>>): Promise<void> {
      const text = 'UPDATE erasure_part SET found = $3 WHERE erasure_id = $1 AND service = $2'
      await pool.query(text, [id, service, JSON.stringify(counts)])
    },
    /** In the transaction of what was erased. */
    async addErased(client: PoolClient, { id }: Erasure, kind: string, count: number, leaseMs: number): Promise<void> {
      await client.query(addErasedStatement, [id, service, kind, count, leaseMs])
    },
    /** Ends the pass of the service. */
    async endPass({ id, pass }: Erasure, kept: object): Promise<void> {
      await pool.query(endStatement, [id, service, pass, JSON.stringify(kept)])
    },
    async wait({ id }: Erasure, reason: string, againMs: number): Promise<void> {
      const text = `UPDATE erasure_part SET waits_for = $3, leased_until = now() + $4 * interval '1 millisecond'
        WHERE erasure_id = $1 AND service = $2`
      await pool.query(text, [id, service, reason, againMs])
    },
  }
}

/** Whether any service has work to do in an erasure. */
export async function areErasuresOpen(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ is_open: boolean }>(openStatement)
  return rows[0]?.is_open === true
}

const openStatement = `SELECT EXISTS (SELECT FROM person_erasure WHERE state IN ('finding', 'erasing')) AS is_open`

function erasureOf({ id, workspace_id, person, person_id, pseudonym, pass }: PartRow): Erasure {
  return { id, workspaceId: workspace_id, person, personId: person_id, pseudonym, pass }
}

const takeStatement = `
  WITH due AS (
    SELECT p.erasure_id FROM person_erasure e JOIN erasure_part p ON p.erasure_id = e.id
    WHERE e.state IN ('finding', 'erasing') AND p.service = $1 AND p.pass < e.pass AND p.leased_until <= now()
    ORDER BY e.requested_at LIMIT 1 FOR UPDATE OF p SKIP LOCKED
  ), taken AS (
    UPDATE erasure_part p SET leased_until = now() + $2 * interval '1 millisecond' FROM due
    WHERE p.erasure_id = due.erasure_id AND p.service = $1 RETURNING p.erasure_id
  )
  SELECT e.id, e.workspace_id, e.person, e.person_id, e.pseudonym, e.pass
  FROM taken JOIN person_erasure e ON e.id = taken.erasure_id`

const addErasedStatement = `
  UPDATE erasure_part SET
    erased = jsonb_set(erased, ARRAY[$3::text], to_jsonb(coalesce((erased ->> $3)::bigint, 0) + $4::bigint)),
    waits_for = NULL, leased_until = now() + $5 * interval '1 millisecond'
  WHERE erasure_id = $1 AND service = $2`

const endStatement = `
  UPDATE erasure_part SET pass = greatest(pass, $3), kept = kept || $4::jsonb, waits_for = NULL, leased_until = '-infinity'
  WHERE erasure_id = $1 AND service = $2`
