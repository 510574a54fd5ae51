import { decodeBlock } from '@ratchet/db/content-block'
import type { Row } from '@ratchet/db/row'
import type { ExchangeKey } from './exchange-reads.ts'
import { expiryDay } from './expiry-day.ts'
import type { ExchangeContent } from './logged-exchange.ts'
import type { RunStatement } from './pg-run-read.ts'

type OwnRow = Pick<Row<'exchangeContent'>, 'id' | 'messages' | 'response' | 'tools' | 'response_format' | 'params'>

/** Either the content of an exchange that has its own row, or a block. */
type ContentRow = (OwnRow & { readonly block: null }) | { readonly block: Buffer }

/**
 * Contents by the ids of exchanges, from their blocks or from their own rows; exchanges that were deleted meanwhile are
 * missing. It is the only reader of contents.
 */
export async function readContents(
  run: RunStatement,
  workspaceId: string,
  keys: readonly ExchangeKey[],
): Promise<ReadonlyMap<string, ExchangeContent>> {
  const contents = await contentsOn(run, keys)
  const missing = keys.flatMap(({ id }) => (contents.has(id) ? [] : [id]))
  if (missing.length === 0) return contents
  // A sweep after a shortened retention moves exchanges to another day of expiry while a list is read.
  const moved = await run<ExchangeKey>({ text: movedText, values: [workspaceId, missing] })
  return moved.length === 0 ? contents : new Map([...contents, ...(await contentsOn(run, moved))])
}

const movedText = 'SELECT id, expires_at AS "expiresAt" FROM exchange WHERE workspace_id = $1 AND id = ANY($2::uuid[])'

/** Contents of exchanges that still expire on the day that their keys say. */
async function contentsOn(
  run: RunStatement,
  keys: readonly ExchangeKey[],
): Promise<ReadonlyMap<string, ExchangeContent>> {
  const values = [keys.map(({ expiresAt }) => expiryDay(expiresAt)), keys.map(({ id }) => id)]
  const rows = await run<ContentRow>({ text: contentsText, values, isPrepared: true })
  const requested = new Set(keys.map(({ id }) => id))
  const contents = new Map<string, ExchangeContent>()
  for (const row of rows) {
    if (row.block === null) contents.set(row.id, contentOf(row))
    else for (const { id, content } of decodeBlock(row.block, (each) => requested.has(each))) contents.set(id, content)
  }
  return contents
}

/** $1 days of expiry, $2 ids of exchanges. Each block is read once. */
const contentsText = `
  WITH requested AS MATERIALIZED (
    SELECT e.expires_on, e.id, e.workspace_id, e.block_id FROM unnest($1::date[], $2::uuid[]) AS k(day, id)
    JOIN exchange e ON e.expires_on = k.day AND e.id = k.id
  )
  SELECT c.id, c.messages, c.response, c.tools, c.response_format, c.params, NULL::bytea AS block
  FROM requested r JOIN exchange_content c ON c.expires_on = r.expires_on AND c.id = r.id WHERE r.block_id IS NULL
  UNION ALL
  SELECT NULL, NULL, NULL, NULL, NULL, NULL, b.content
  FROM (SELECT DISTINCT expires_on, workspace_id, block_id FROM requested WHERE block_id IS NOT NULL) r
  JOIN exchange_block b ON b.expires_on = r.expires_on AND b.id = r.block_id AND b.workspace_id = r.workspace_id`

function contentOf({ messages, response, tools, response_format, params }: OwnRow): ExchangeContent {
  return { messages, response, tools, responseFormat: response_format, params }
}
