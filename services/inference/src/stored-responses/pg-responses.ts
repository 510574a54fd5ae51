import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { LedgerUnavailable } from '../ledger/ledger.ts'
import { runStatement } from '../ledger/pg-run-statement.ts'
import { whileAlive } from '../ledger/pg-while-alive.ts'
import { responseStatements as statements } from './pg-response-statements.ts'
import type { ReferredResponse, ResponseKey, ResponseStore, StoredResponse } from './stored-response.ts'

export interface PgResponsesOptions {
  /** Not the pool of the ledger: a chain can be megabytes, and no charge should wait behind it. */
  readonly pool: Pool
  /** Milliseconds without any answer after which the database counts as unavailable. */
  readonly silenceMs?: number
  readonly statementTimeoutMs?: number
}

type ResponseRow = Omit<Row<'storedResponse'>, 'size_bytes'>

interface LinkRow extends Pick<Row<'storedResponse'>, 'input_items' | 'reply' | 'model' | 'is_unlogged'> {
  readonly is_whole: boolean
  readonly is_too_long: boolean
}

interface ReplyRow extends Pick<Row<'storedResponse'>, 'reply' | 'model' | 'is_unlogged'> {
  readonly is_too_large: boolean
}

/** Stored responses in Postgres. */
export function createPgResponses({
  pool,
  silenceMs = 250,
  statementTimeoutMs = 5_000,
}: PgResponsesOptions): ResponseStore {
  const run = <Row>(name: keyof typeof statements, values: readonly unknown[]) =>
    whileAlive(
      pool,
      runStatement<Row>(pool, {
        name: `response_${name}`,
        text: statements[name],
        values,
        timeoutMs: statementTimeoutMs,
      }),
      { silenceMs, maxMs: statementTimeoutMs },
    ).catch(unavailable)
  const keyed = ({ id, workspaceId }: ResponseKey, at: Date) => [id, workspaceId, at]
  return {
    async put(response) {
      await run('put', valuesOf(response))
    },
    async get(key, at) {
      const [row] = await run<ResponseRow>('get', keyed(key, at))
      return row === undefined ? null : toResponse(row)
    },
    async delete(key, at) {
      return (await run('delete', keyed(key, at))).length === 1
    },
    async chain(key, { at, maxResponses, maxBytes }) {
      const rows = await run<LinkRow>('chain', [...keyed(key, at), maxResponses, maxBytes])
      const [oldest] = rows
      if (oldest?.is_too_long) return { kind: 'too_long' }
      if (!oldest?.is_whole) return { kind: 'missing' }
      const responses = rows.map((row) => ({ inputItems: row.input_items, ...referredOf(row) }))
      return { kind: 'whole', responses }
    },
    async repliesWith({ workspaceId, itemIds, at, maxBytes }) {
      const values = [workspaceId, itemIds, at, maxBytes]
      const rows = await run<ReplyRow>('repliesWith', values)
      return rows[0]?.is_too_large ? null : rows.map(referredOf)
    },
    async sweep(at, limit) {
      return (await run('sweep', [at, limit])).length
    },
  }
}

function referredOf({ reply, model, is_unlogged: isUnlogged }: Omit<ReplyRow, 'is_too_large'>): ReferredResponse {
  return { reply, model, isUnlogged }
}

function valuesOf(response: StoredResponse): readonly unknown[] {
  const { id, workspaceId, previousId, model, createdAt, expiresAt } = response
  const { inputItems, reply, itemIds, isUnlogged } = response
  return [id, workspaceId, previousId, model, createdAt, expiresAt, inputItems, reply, itemIds, isUnlogged]
}

function toResponse(row: ResponseRow): StoredResponse {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    previousId: row.previous_id,
    model: row.model,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    inputItems: row.input_items,
    reply: row.reply,
    itemIds: row.item_ids,
    isUnlogged: row.is_unlogged,
  }
}

/** Translates the ledger's own error, which callers of this store do not know. */
function unavailable(cause: unknown): never {
  if (!(cause instanceof LedgerUnavailable)) throw cause
  throw new ServiceError('service_unavailable', 'Stored responses cannot be reached.', { retryAfterSeconds: 1, cause })
}
