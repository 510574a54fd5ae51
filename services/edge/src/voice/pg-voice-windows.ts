import type { Pool } from '@ratchet/db/connect-pool'
import { createGroupCommit } from '@ratchet/service-kit/timing/group-commit'
import { type VoiceWindows, type WindowPlace, windowOffset, windowSeconds } from './hourly-window.ts'

/**
 * Windows in Postgres, by its clock. Keys are in order, so that two edges that count the same keys do not deadlock. What is
 * beyond the limit is counted too, which refuses no more and no less.
 */
const countStatement = {
  name: 'edge-count-voice-requests',
  text: `
    INSERT INTO voice_window (key_id, window_start, used)
    SELECT c.key_id, to_timestamp(
        floor((extract(epoch FROM now()) - c.starts_at) / ${windowSeconds}) * ${windowSeconds} + c.starts_at), c.used
    FROM unnest($1::uuid[], $2::int[], $3::int[]) AS c(key_id, starts_at, used) ORDER BY c.key_id
    ON CONFLICT (key_id, window_start) DO UPDATE SET used = voice_window.used + excluded.used
    RETURNING key_id, used, extract(epoch FROM window_start)::bigint::text AS started`,
} as const

interface CountedRow {
  readonly key_id: string
  readonly used: number
  readonly started: string
}

/** Requests of one moment are counted in one statement. */
export function createPgVoiceWindows(pool: Pick<Pool, 'query'>): VoiceWindows & { prune(): Promise<void> } {
  const batches = createGroupCommit<string, WindowPlace>({ run: (keyIds) => countAll(pool, keyIds) })
  return {
    count: (keyId) => batches.add(keyId),
    async prune() {
      await pool.query(`DELETE FROM voice_window WHERE window_start < now() - interval '2 hours'`)
    },
  }
}

async function countAll(pool: Pick<Pool, 'query'>, keyIds: readonly string[]): Promise<readonly WindowPlace[]> {
  const counts = new Map<string, number>()
  for (const keyId of keyIds) counts.set(keyId, (counts.get(keyId) ?? 0) + 1)
  const keys = [...counts.keys()]
  const values = [keys, keys.map(windowOffset), [...counts.values()]]
  const { rows } = await pool.query<CountedRow>({ ...countStatement, values })
  const next = new Map(rows.map((row) => [row.key_id, { ...row, number: row.used - (counts.get(row.key_id) ?? 0) }]))
  return keyIds.map((keyId) => {
    const counted = next.get(keyId)
    if (counted === undefined) throw new Error('a voice request was not counted')
    counted.number += 1
    return { number: counted.number, resetsAt: Number(counted.started) + windowSeconds }
  })
}
