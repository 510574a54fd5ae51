import { dayMs } from '@ratchet/service-kit/timing/durations'
import { expiryDay } from '../exchanges/expiry-day.ts'
import type { ExchangeRetention } from '../retention/retention.ts'
import type { ClickHouse, Parameters } from './clickhouse-client.ts'
import { changedVersion } from './clickhouse-table.ts'
import type { StoreUpkeep } from './store-upkeep.ts'

/**
 * Deletes exchanges in ClickHouse. Reads do not return expired ones, which are dropped with their day. Rows that were
 * deleted one by one are only marked at first: each sweep starts to write their partitions without them.
 */
export function createClickHouseRetention(
  clickHouse: ClickHouse,
  { retentionDays }: Pick<StoreUpkeep, 'retentionDays'>,
): ExchangeRetention {
  return {
    async sweep(now) {
      const droppedPartitions = await dropDays(clickHouse, expiryDay(now))
      // Their expiry was brought forward, so they are in the partition of a later day.
      const outlived = 'expires_on > {today:Date} AND expires_ms <= {now:Int64}'
      let deletedRows = await deleteRows(clickHouse, outlived, { today: expiryDay(now), now: now.getTime() })
      let shortenedRows = 0
      const workspaces = await clickHouse.read<{ workspace_id: string }>(
        'SELECT DISTINCT workspace_id FROM exchange',
        {},
      )
      const ids = workspaces.map((row) => row.workspace_id)
      const daysOf = await retentionDays(ids)
      for (const workspace of ids) {
        const days = daysOf.get(workspace)
        if (days === undefined) {
          deletedRows += await deleteRows(clickHouse, 'workspace_id = {workspace:UUID}', { workspace })
          continue
        }
        const before = now.getTime() - days * dayMs
        const old = 'workspace_id = {workspace:UUID} AND retained_ms <= {before:Int64}'
        deletedRows += await deleteRows(clickHouse, old, { workspace, before })
        shortenedRows += await shortenRows(clickHouse, { workspace, days, now })
      }
      await removeDeleted(clickHouse)
      return { droppedPartitions, deletedRows, shortenedRows }
    },
  }
}

async function dropDays(clickHouse: ClickHouse, today: string): Promise<number> {
  const over = await clickHouse.read<{ partition: string }>(
    `SELECT DISTINCT partition FROM system.parts
     WHERE database = currentDatabase() AND table = 'exchange' AND active AND partition < {today:String}`,
    { today },
  )
  for (const { partition } of over) await clickHouse.change(`ALTER TABLE exchange DROP PARTITION '${dayOf(partition)}'`)
  return over.length
}

async function deleteRows(clickHouse: ClickHouse, where: string, parameters: Parameters): Promise<number> {
  const text = `SELECT count() AS due FROM exchange WHERE ${where}`
  const [row] = await clickHouse.read<{ due: string }>(text, parameters)
  const due = Number(row?.due ?? 0)
  if (due > 0) await clickHouse.change(`DELETE FROM exchange WHERE ${where}`, parameters)
  return due
}

interface Shortening {
  readonly workspace: string
  /** The retention. */
  readonly days: number
  readonly now: Date
}

/** Stores new versions, with an earlier expiry, of rows that expire after the shortened retention. */
async function shortenRows(clickHouse: ClickHouse, { workspace, days, now }: Shortening): Promise<number> {
  const lastDay = expiryDay(new Date(now.getTime() + (days + 1) * dayMs))
  const parameters = { workspace, last: Date.parse(`${lastDay}T00:00:00Z`) + dayMs, retention: days * dayMs }
  const late = 'workspace_id = {workspace:UUID} AND expires_ms >= {last:Int64}'
  const [row] = await clickHouse.read<{ late: string }>(
    `SELECT count() AS late FROM exchange WHERE ${late}`,
    parameters,
  )
  const count = Number(row?.late ?? 0)
  if (count === 0) return 0
  await clickHouse.change(
    `INSERT INTO exchange
     SELECT e.* REPLACE (
       e.retained_ms + {retention:Int64} AS expires_ms, greatest(e.version + 1, toUInt64(${changedVersion})) AS version
     )
     FROM (SELECT * FROM exchange FINAL WHERE ${late}) AS e`,
    parameters,
  )
  return count
}

/** Writes partitions with deleted rows again without them. The sweep does not wait for it. */
async function removeDeleted(clickHouse: ClickHouse): Promise<void> {
  const unfinished = await clickHouse.read<object>(
    `SELECT mutation_id FROM system.mutations
     WHERE database = currentDatabase() AND table = 'exchange' AND NOT is_done LIMIT 1`,
    {},
  )
  // The last sweep's is still at work.
  if (unfinished.length > 0) return
  const marked = await clickHouse.read<{ partition: string }>(
    `SELECT DISTINCT partition FROM system.parts
     WHERE database = currentDatabase() AND table = 'exchange' AND active AND has_lightweight_delete`,
    {},
  )
  for (const { partition } of marked)
    await clickHouse.change(`ALTER TABLE exchange APPLY DELETED MASK IN PARTITION '${dayOf(partition)}'`)
}

/** The name of a partition is part of a statement's text. */
function dayOf(partition: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(partition)) return partition
  throw new Error(`not a day: ${partition}`)
}
