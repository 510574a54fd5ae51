import type { PoolClient } from '@ratchet/db/connect-pool'
import { type BlockEntry, decodeBlock, encodeBlock } from '@ratchet/db/content-block'
import { expiryDay } from './expiry-day.ts'
import type { WholeExchange } from './logged-exchange.ts'
import { binaryArray, binaryTypes } from './pg-binary-arrays.ts'
import { insertExchanges } from './pg-exchange-statements.ts'
import { planBlocks } from './pg-plan-blocks.ts'

/** An exchange and the block with its content. */
export interface BlockMember {
  readonly id: string
  readonly blockId: string
  /** The day of expiry, which is the partition of the block. */
  readonly day: string
}

/** An exchange whose day of expiry was changed. */
export interface MovedMember extends BlockMember {
  readonly newDay: string
}

interface BlockKey {
  readonly day: string
  readonly blockId: string
}

interface BlockRow {
  readonly day: string
  readonly id: string
  readonly workspace_id: string
  readonly content: Buffer
}

/** Columns that a deleting statement returns for {@link removeFromBlocks}. */
export interface DeletedRow {
  readonly id: string
  readonly day: string
  /** Null when the content was in its own row. */
  readonly block_id: string | null
}

export function membersOf(rows: readonly DeletedRow[]): readonly BlockMember[] {
  return rows.flatMap(({ id, day, block_id: blockId }) => (blockId === null ? [] : [{ id, day, blockId }]))
}

/**
 * Removes the contents of deleted exchanges. Run it in the transaction that deletes them, after all its rows are deleted:
 * everyone locks rows of exchanges before blocks, and blocks in their order. A concurrent removal from the same block
 * waits, and then reads what is left.
 */
export async function removeFromBlocks(client: PoolClient, removed: readonly BlockMember[]): Promise<void> {
  const blocks = Map.groupBy(removed, ({ day, blockId }) => `${day} ${blockId}`)
  const counted = [...blocks.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [{ ...first, count: 1 + others.length }],
  )
  if (counted.length === 0) return
  const { rows: complete } = await client.query<{ id: string; day: string }>(deleteCompleteStatement, [
    ...keysOf(counted),
    counted.map(({ count }) => count),
  ])
  const done = new Set(complete.map(({ id, day }) => `${day} ${id}`))
  const rest = counted.filter(({ day, blockId }) => !done.has(`${day} ${blockId}`))
  const ids = new Set(removed.map(({ id }) => id))
  for (const row of await lockBlocks(client, rest))
    await replaceBlock(
      client,
      row,
      decodeBlock(row.content, (id) => !ids.has(id)),
    )
}

/**
 * Stores exchanges, with their contents in common blocks if there is a source of ids for blocks. Skips those whose
 * request is stored already.
 *
 * @returns how many were stored
 */
export async function storeWithContent(
  client: PoolClient,
  unplanned: readonly WholeExchange[],
  newBlockId: (() => string) | null,
): Promise<number> {
  const { exchanges, blocks } =
    newBlockId === null ? { exchanges: unplanned, blocks: [] } : planBlocks(unplanned, newBlockId)
  const { rows } = await client.query<{ id: string }>(insertExchanges(exchanges, blocks))
  if (rows.length < exchanges.length) {
    const stored = new Set(rows.map(({ id }) => id))
    const skipped = exchanges.filter(({ id }) => !stored.has(id))
    await removeFromBlocks(
      client,
      skipped.flatMap(({ id, blockId, expiresAt }) =>
        blockId === null ? [] : [{ id, blockId, day: expiryDay(expiresAt) }],
      ),
    )
  }
  return rows.length
}

/** Moves contents to the partitions of their new days. A block keeps its id there. */
export async function moveBetweenBlocks(client: PoolClient, moved: readonly MovedMember[]): Promise<void> {
  const newDays = new Map(moved.map(({ id, newDay }) => [id, newDay]))
  const keys = moved.flatMap(({ day, newDay, blockId }) => [
    { day, blockId },
    { day: newDay, blockId },
  ])
  const rows = await lockBlocks(client, keys)
  for (const row of rows.filter(({ day, id }) => moved.some((each) => each.blockId === id && each.day === day))) {
    const entries = decodeBlock(row.content)
    const leaving = Map.groupBy(entries, ({ id }) => newDays.get(id) ?? row.day)
    for (const [day, arriving] of leaving) {
      if (day === row.day) continue
      const target = rows.find((each) => each.id === row.id && each.day === day)
      await addToBlock(client, { ...row, day }, [
        ...(target === undefined ? [] : decodeBlock(target.content)),
        ...arriving,
      ])
    }
    await replaceBlock(client, row, leaving.get(row.day) ?? [])
  }
}

async function lockBlocks(client: PoolClient, keys: readonly BlockKey[]): Promise<readonly BlockRow[]> {
  if (keys.length === 0) return []
  return (await client.query<BlockRow>(lockStatement, keysOf(keys))).rows
}

/** Stores what is left of a block, or deletes it. */
async function replaceBlock(client: PoolClient, { day, id }: BlockRow, entries: readonly BlockEntry[]): Promise<void> {
  if (entries.length === 0) await client.query(deleteStatement, [day, id])
  else await client.query(updateStatement, [day, id, entries.length, encodeBlock(entries)])
}

async function addToBlock(client: PoolClient, row: BlockRow, entries: readonly BlockEntry[]): Promise<void> {
  await client.query(upsertStatement, [row.day, row.id, row.workspace_id, entries.length, encodeBlock(entries)])
}

/** Days and ids. */
function keysOf(keys: readonly BlockKey[]): Buffer[] {
  const days = keys.map(({ day }) => day)
  const ids = keys.map(({ blockId }) => blockId)
  return [binaryArray(binaryTypes.text, days), binaryArray(binaryTypes.uuid, ids)]
}

const deleteCompleteStatement = `
  WITH removed AS (
    SELECT k.day::date AS day, k.id, k.count FROM unnest($1::text[], $2::uuid[], $3::integer[]) AS k(day, id, count)
  ), locked AS MATERIALIZED (
    SELECT b.expires_on, b.id FROM exchange_block b WHERE (b.expires_on, b.id) IN (SELECT day, id FROM removed)
    ORDER BY b.expires_on, b.id FOR UPDATE
  )
  DELETE FROM exchange_block b USING locked, removed
  WHERE (b.expires_on, b.id) = (locked.expires_on, locked.id) AND (b.expires_on, b.id) = (removed.day, removed.id)
    AND b.exchanges = removed.count
  RETURNING b.id, b.expires_on::text AS day`

const lockStatement = `
  SELECT b.expires_on::text AS day, b.id, b.workspace_id, b.content FROM exchange_block b
  WHERE (b.expires_on, b.id) IN (SELECT k.day::date, k.id FROM unnest($1::text[], $2::uuid[]) AS k(day, id))
  ORDER BY b.expires_on, b.id FOR UPDATE`

const deleteStatement = 'DELETE FROM exchange_block WHERE expires_on = $1 AND id = $2'

const updateStatement = 'UPDATE exchange_block SET exchanges = $3, content = $4 WHERE expires_on = $1 AND id = $2'

const upsertStatement = `
  INSERT INTO exchange_block (expires_on, id, workspace_id, exchanges, content) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (expires_on, id) DO UPDATE SET exchanges = EXCLUDED.exchanges, content = EXCLUDED.content`
