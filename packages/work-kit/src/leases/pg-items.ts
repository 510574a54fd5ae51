import type { Pool } from '@ratchet/db/connect-pool'
import { storableText } from '@ratchet/service-kit/values/storable-text'
import { type ItemTable, itemStatements } from './item-statements.ts'
import type { ItemStore, Lease, LeasedItem, Share } from './leased-item.ts'

/** Work items in Postgres. */
export interface PgItems<Item extends LeasedItem> extends ItemStore<Item> {
  /** Runs the assignments of `completed` with these parameters. False when the lease was lost. */
  complete(item: Lease, values: readonly unknown[]): Promise<boolean>
}

/** Maximum leases of an item. One that ends its process every time never reports a failure, so leases are counted too. */
const maxLeases = 20
const abandonedError = 'every worker that processed this item ended before it finished'
const maxErrorLength = 500

/**
 * Work items in the rows of a table. Name the fields of the table in the call: `infra/src/checks/tenant-sql` reads them
 * there in order to check the statements.
 *
 * @param readRow makes an item of what a lease returned
 */
export function createPgItems<Row extends object, Item extends LeasedItem>(
  pool: Pool,
  table: ItemTable,
  readRow: (row: Row) => Item | Promise<Item>,
): PgItems<Item> {
  const statements = itemStatements(table)
  const isChanged = async (text: string, { id, generation }: Lease, values: readonly unknown[]) =>
    (await pool.query(text, [id, generation, ...values])).rowCount === 1
  return {
    async lease(id, leaseMs) {
      const { rows } = await pool.query<Row>(statements.lease, [id, leaseMs])
      return rows[0] === undefined ? null : readRow(rows[0])
    },
    async take({ limit, inProgress, maxOfWorkspace }: Share, leaseMs) {
      const { rows } = await pool.query<Row>(statements.take, [leaseMs, limit, inProgress, maxOfWorkspace, maxLeases])
      return Promise.all(rows.map(readRow))
    },
    renew: (item, leaseMs) => isChanged(statements.renew, item, [leaseMs]),
    complete: (item, values) => isChanged(statements.complete, item, values),
    async release(item, { kind, error, delayMs }) {
      const stored = storableText(error, maxErrorLength)
      if (kind === 'dead_lettered') await isChanged(statements.deadLetter, item, [stored])
      else await isChanged(statements.retry, item, [delayMs, stored, kind === 'retried' ? 1 : 0])
    },
    async overdue(limit) {
      await pool.query(statements.deadLetterAbandoned, [maxLeases, abandonedError])
      const { rows } = await pool.query<{ id: string }>(statements.overdue, [limit])
      return rows.map(({ id }) => id)
    },
  }
}
