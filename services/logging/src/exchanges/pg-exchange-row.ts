import type { Row } from '@ratchet/db/row'
import { commonColumns, commonOf } from './common-columns.ts'
import type { LoggedExchange } from './logged-exchange.ts'

/** A row of `exchange` as node-postgres reads it. */
export type ExchangeRow = Omit<Row<'exchange'>, 'words' | 'expires_on' | 'block_id'>

/** The columns of `exchange e` without `words`, which only the search index needs. */
export const exchangeColumns = [...commonColumns, 'created_at', 'expires_at'].map((name) => `e.${name}`).join(', ')

export function exchangeOf(row: ExchangeRow): LoggedExchange {
  return { ...commonOf(row), createdAt: row.created_at, expiresAt: row.expires_at, promptHash: row.prompt_hash }
}
