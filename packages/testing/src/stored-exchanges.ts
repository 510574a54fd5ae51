import type { Pool } from '@ratchet/db/connect-pool'
import { decodeBlock } from '@ratchet/db/content-block'

/** The texts of an exchange, null for a row without content. */
interface StoredContent {
  readonly messages: string | null
  readonly response: string | null
  readonly tools: string | null
  readonly response_format: string | null
  readonly params: string | null
}

type ReadRow<Row> = Row & StoredContent & { readonly id: string; readonly block: Buffer | null }

/** Rows of the log as they are stored, with their contents, from blocks too; oldest first. */
export async function storedExchanges<Row extends object>(
  pool: Pick<Pool, 'query'>,
  condition: string,
  values: readonly unknown[] = [],
): Promise<readonly (Row & StoredContent)[]> {
  const { rows } = await pool.query<ReadRow<Row>>(
    `SELECT e.*, c.messages, c.response, c.tools, c.response_format, c.params, b.content AS block FROM exchange e
     LEFT JOIN exchange_content c ON (c.expires_on, c.id) = (e.expires_on, e.id)
     LEFT JOIN exchange_block b ON (b.expires_on, b.id) = (e.expires_on, e.block_id)
     WHERE ${condition} ORDER BY e.created_at, e.id`,
    [...values],
  )
  return rows.map(({ block, ...row }) => {
    const [entry] = block === null ? [] : decodeBlock(block, (id) => id === row.id)
    if (entry === undefined) return row as unknown as Row & StoredContent
    const { responseFormat, ...content } = entry.content
    return { ...row, ...content, response_format: responseFormat } as unknown as Row & StoredContent
  })
}
