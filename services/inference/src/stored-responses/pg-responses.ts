import type { Pool } from '@ratchet/db/connect-pool'
import type { Row } from '@ratchet/db/row'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { withinQuota } from '@ratchet/work-kit/storage/within-quota'
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

interface SizeRow {
  readonly input_bytes: number
  readonly reply_bytes: number
}

interface FoundRow {
  readonly ids: readonly string[]
  readonly bytes: number
}

/** All null when nothing was found. */
interface ChainRow extends FoundRow {
  readonly is_whole: boolean | null
  readonly is_too_long: boolean | null
}

type ReplyRow = Pick<Row<'storedResponse'>, 'id' | 'reply' | 'model' | 'is_unlogged'>
type TurnRow = ReplyRow & Pick<Row<'storedResponse'>, 'input_items'>

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
      await withinQuota(() => run('put', valuesOf(response)))
    },
    async find(key, at) {
      const [found] = await run<SizeRow>('find', keyed(key, at))
      if (found === undefined) return null
      const text = async (name: 'inputItems' | 'reply') =>
        (await run<{ readonly text: string }>(name, keyed(key, at)))[0]?.text ?? null
      return {
        inputItems: { bytes: found.input_bytes, read: () => text('inputItems') },
        reply: { bytes: found.reply_bytes, read: () => text('reply') },
      }
    },
    async delete(key, at) {
      return (await run('delete', keyed(key, at))).length === 1
    },
    async chain(key, { at, maxResponses, maxBytes }) {
      const [found] = await run<ChainRow>('chain', [...keyed(key, at), maxResponses, maxBytes])
      if (found?.is_too_long) return { kind: 'too_long' }
      if (!found?.is_whole) return { kind: 'missing' }
      const { ids, bytes } = found
      return {
        kind: 'whole',
        bytes,
        async read() {
          const rows = inOrder(ids, await run<TurnRow>('inputsAndReplies', [ids, key.workspaceId, at]))
          if (rows.length < ids.length) return null
          return rows.map((row) => ({ inputItems: row.input_items, ...referredOf(row) }))
        },
      }
    },
    async repliesWith({ workspaceId, itemIds, at, maxBytes }) {
      const [found] = await run<FoundRow>('repliesWith', [workspaceId, itemIds, at])
      const { ids, bytes } = found ?? { ids: [], bytes: 0 }
      if (bytes > maxBytes) return null
      const read = async () =>
        ids.length === 0 ? [] : inOrder(ids, await run<ReplyRow>('replies', [ids, workspaceId, at])).map(referredOf)
      return { bytes, read }
    },
    async sweep(at, limit) {
      return (await run('sweep', [at, limit])).length
    },
  }
}

function inOrder<R extends ReplyRow>(ids: readonly string[], rows: readonly R[]): readonly R[] {
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => byId.get(id)).filter((row) => row !== undefined)
}

function referredOf({ reply, model, is_unlogged: isUnlogged }: ReplyRow): ReferredResponse {
  return { reply, model, isUnlogged }
}

function valuesOf(response: StoredResponse): readonly unknown[] {
  const { id, workspaceId, previousId, model, createdAt, expiresAt } = response
  const { inputItems, reply, itemIds, isUnlogged } = response
  return [id, workspaceId, previousId, model, createdAt, expiresAt, inputItems, reply, itemIds, isUnlogged]
}

/** Translates the ledger's own error, which callers of this store do not know. */
function unavailable(cause: unknown): never {
  if (!(cause instanceof LedgerUnavailable)) throw cause
  throw new ServiceError('service_unavailable', 'Stored responses cannot be reached.', { retryAfterSeconds: 1, cause })
}
