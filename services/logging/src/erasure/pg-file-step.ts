import type { Pool, PoolClient } from '@ratchet/db/connect-pool'
import type { Erasure, ErasureStep } from '@ratchet/work-kit/erasure/erasure'
import { createLineFilter } from './without-lines.ts'

type Client = Pick<PoolClient, 'query'>

/** Lines of uploaded files, and of inputs and outputs of batches, that name the person or a request of theirs. */
export function fileStep(pool: Pool): ErasureStep {
  return {
    kind: 'file_lines',
    count: (erasure) => eachFile(pool, erasure, async () => undefined),
    erase: (client, erasure) =>
      eachFile(client, erasure, async (fileId, isTakenOut) => {
        await filterFile(client, { fileId, isTakenOut }, async (position, content) => {
          const text = 'UPDATE file_chunk SET content = $3 WHERE file_id = $1 AND position = $2'
          await client.query(text, [fileId, position, content])
        })
        await client.query(sizeStatement, [erasure.workspaceId, fileId])
      }),
  }
}

const sizeStatement = `
  UPDATE file SET bytes = (SELECT coalesce(sum(octet_length(content)), 0) FROM file_chunk WHERE file_id = $2)
  WHERE workspace_id = $1 AND id = $2`

type IsTakenOut = (line: string) => boolean

/** Counts the lines, and changes the files that have some. */
async function eachFile(
  client: Client,
  erasure: Erasure,
  change: (fileId: string, isTakenOut: IsTakenOut) => Promise<void>,
): Promise<number> {
  const isTakenOut = await lineTest(client, erasure)
  const text = 'SELECT id FROM file WHERE workspace_id = $1 AND completed_at IS NOT NULL ORDER BY id'
  const { rows } = await client.query<{ id: string }>(text, [erasure.workspaceId])
  let removed = 0
  for (const { id: fileId } of rows) {
    const count = await filterFile(client, { fileId, isTakenOut }, async () => undefined)
    if (count > 0) await change(fileId, isTakenOut)
    removed += count
  }
  return removed
}

interface Filtered {
  readonly fileId: string
  readonly isTakenOut: IsTakenOut
}

/** Reads a file piece by piece, with what stays of each. @returns the number of lines that do not stay */
async function filterFile(
  client: Client,
  { fileId, isTakenOut }: Filtered,
  onPiece: (position: number, content: Buffer) => Promise<void>,
): Promise<number> {
  const filter = createLineFilter(isTakenOut)
  let position = 0
  let last: Buffer = Buffer.alloc(0)
  for (; ; position += 1) {
    const text = 'SELECT content FROM file_chunk WHERE file_id = $1 AND position = $2'
    const { rows } = await client.query<{ content: Buffer }>(text, [fileId, position])
    if (rows[0] === undefined) break
    last = filter.add(rows[0].content)
    await onPiece(position, last)
  }
  const rest = filter.end()
  if (rest.length > 0) await onPiece(position - 1, Buffer.concat([last, rest]))
  return filter.removed()
}

const anyId = /[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}/g

async function lineTest(client: Client, { id }: Erasure): Promise<IsTakenOut> {
  const ids = `SELECT hex FROM erasure_reference WHERE erasure_id = $1 AND kind IN ('request', 'log', 'trace', 'sample', 'call')`
  const { rows } = await client.query<{ hex: string }>(ids, [id])
  const known = new Set(rows.map(({ hex }) => hex))
  const named = await client.query<{ needle: string | null }>('SELECT needle FROM person_erasure WHERE id = $1', [id])
  const needle = named.rows[0]?.needle ?? null
  return (line) =>
    (needle !== null && line.includes(needle)) ||
    (line.match(anyId) ?? []).some((found) => known.has(found.replaceAll('-', '')))
}
