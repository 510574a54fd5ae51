import type { ArmTraffic } from '@ratchet/contracts/internal-alias'
import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'

export interface TrafficReport {
  /** UUID of a process. */
  readonly reporter: string
  /** Increases by one with every report. */
  readonly sequence: number
  readonly arms: readonly ArmTraffic[]
}

export type TrafficStore = ReturnType<typeof createPgTraffic>

/** Traffic of the arms of aliases in Postgres. */
export function createPgTraffic(pool: Pool) {
  return {
    /** Adds a report to the current epochs. False when it was counted before. */
    count: ({ reporter, sequence, arms }: TrafficReport, at: Date): Promise<boolean> =>
      inTransaction(pool, async (client) => {
        const { rowCount } = await client.query(reporterStatement, [reporter, sequence, at])
        if (rowCount !== 1) return false
        // Rows are locked in one order, so that two reports cannot deadlock.
        for (const arm of [...arms].sort(byKey)) await add(client, arm)
        return true
      }),
    /** Deletes reporters whose last report is older. */
    async purge(before: Date): Promise<void> {
      await pool.query('DELETE FROM traffic_reporter WHERE seen_at < $1', [before])
    },
  }
}

/** Returns no row for a report that was counted before. */
const reporterStatement = `
  INSERT INTO traffic_reporter AS known (reporter, sequence, seen_at) VALUES ($1, $2, $3)
  ON CONFLICT (reporter) DO UPDATE SET sequence = EXCLUDED.sequence, seen_at = EXCLUDED.seen_at
  WHERE known.sequence < EXCLUDED.sequence
  RETURNING reporter`

/** Counts only for the current epoch of an alias that still exists. */
const addStatement = `
  INSERT INTO arm_traffic AS known (alias_id, epoch, arm, assigned, served, errors, cost_usd, cost_usd_squared)
  SELECT a.id, a.epoch, $3::arm, $4, $5, $6, $7, $8 FROM alias a WHERE a.id = $1 AND a.epoch = $2
  ON CONFLICT (alias_id, epoch, arm) DO UPDATE SET assigned = known.assigned + EXCLUDED.assigned,
    served = known.served + EXCLUDED.served, errors = known.errors + EXCLUDED.errors,
    cost_usd = known.cost_usd + EXCLUDED.cost_usd,
    cost_usd_squared = known.cost_usd_squared + EXCLUDED.cost_usd_squared
  RETURNING latencies`

const latenciesStatement = `
  UPDATE arm_traffic SET latencies = $4 WHERE alias_id = $1 AND epoch = $2 AND arm = $3::arm`

async function add(client: PoolClient, arm: ArmTraffic): Promise<void> {
  const key = [arm.alias_id, arm.epoch, arm.arm]
  const sums = [arm.assigned, arm.served, arm.errors, arm.cost_usd, arm.cost_usd_squared]
  const { rows } = await client.query<{ latencies: string }>(addStatement, [...key, ...sums])
  const known = rows[0]?.latencies
  // This transaction holds the lock of the row until it ends, so a plain read and write is safe.
  if (known === undefined || Object.keys(arm.latencies).length === 0) return
  await client.query(latenciesStatement, [...key, JSON.stringify(merged(latenciesOf(known), arm.latencies))])
}

function merged(known: ReadonlyMap<number, number>, more: ArmTraffic['latencies']): Record<string, number> {
  const sum = new Map(known)
  for (const [bucket, count] of Object.entries(more)) sum.set(Number(bucket), (sum.get(Number(bucket)) ?? 0) + count)
  return Object.fromEntries(sum)
}

/** Reads the number of answers by latency bucket from JSON. */
export function latenciesOf(text: string): ReadonlyMap<number, number> {
  const counts = JSON.parse(text) as Readonly<Record<string, number>>
  return new Map(Object.entries(counts).map(([bucket, count]) => [Number(bucket), count]))
}

function byKey(a: ArmTraffic, b: ArmTraffic): number {
  const keyOf = ({ alias_id: id, epoch, arm }: ArmTraffic) => `${id} ${epoch} ${arm}`
  return keyOf(a) < keyOf(b) ? -1 : 1
}
