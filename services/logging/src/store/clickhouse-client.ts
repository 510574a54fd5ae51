import { type ClickHouseClient, ClickHouseError, ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { createTable } from './clickhouse-table.ts'

export type Parameters = Readonly<Record<string, unknown>>

/** Statements on the log in ClickHouse. The first one creates the table. */
export interface ClickHouse {
  /** @throws ServiceError `service_unavailable` when the server is unavailable or takes too long */
  read<Row>(text: string, parameters: Parameters): Promise<readonly Row[]>
  /** Stores all rows, or throws. */
  insert(rows: readonly object[]): Promise<void>
  /** Changes or deletes rows, and waits until that is visible. */
  change(text: string, parameters?: Parameters): Promise<void>
  close(): Promise<void>
}

/** Milliseconds of one statement. */
const readTimeoutMs = 10_000
const writeTimeoutMs = 30_000

/** Reads see one row for each request, its last version. All versions of a row are in one partition. */
const readSettings = {
  final: 1,
  do_not_merge_across_partitions_select_final: 1,
  output_format_json_quote_64bit_integers: 1,
  max_execution_time: readTimeoutMs / 1_000,
} as const

/** @param url with user, password and database, e.g. `https://log:secret@clickhouse:8443/ratchet` */
export function connectClickHouse(url: string): ClickHouse {
  // Errors are thrown; the client's own log lines would have another format.
  const log = { level: ClickHouseLogLevel.OFF }
  const client = createClient({ url, log, request_timeout: writeTimeoutMs + 5_000, application: 'ratchet-logging' })
  const ready = createOnce(() => client.command({ query: createTable }))
  return {
    async read<Row>(query: string, parameters: Parameters) {
      return whileAvailable(async () => {
        await ready()
        const abort_signal = AbortSignal.timeout(readTimeoutMs + 1_000)
        const settings = { clickhouse_settings: readSettings, abort_signal, format: 'JSONEachRow' } as const
        const result = await client.query({ query, query_params: { ...parameters }, ...settings })
        return (await result.json<Row>()) as Row[]
      })
    },
    async insert(rows) {
      await ready()
      // One flush of the server for all writers, whose inserts are small; the reply comes after it.
      const clickhouse_settings = { async_insert: 1, wait_for_async_insert: 1, max_execution_time: 25 } as const
      await client.insert({ table: 'exchange', values: [...rows], format: 'JSONEachRow', clickhouse_settings })
    },
    async change(query, parameters = {}) {
      await whileAvailable(async () => {
        await ready()
        await runCommand(client, query, parameters)
      })
    },
    close: () => client.close(),
  }
}

async function runCommand(client: ClickHouseClient, query: string, parameters: Parameters): Promise<void> {
  const clickhouse_settings = { lightweight_deletes_sync: '2' } as const
  await client.command({ query, query_params: { ...parameters }, clickhouse_settings })
}

/** Runs work once; again after a failure. */
function createOnce(work: () => Promise<unknown>): () => Promise<unknown> {
  let done: Promise<unknown> | null = null
  return () => {
    done ??= work().catch((error: unknown) => {
      done = null
      throw error
    })
    return done
  }
}

/** Codes of statements that were stopped: timeouts, too many at once, no memory, network and shutdown. */
const unavailableCodes = new Set(['159', '160', '202', '209', '210', '241', '236', '394', '439'])

async function whileAvailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof ClickHouseError && !unavailableCodes.has(cause.code)) throw cause
    throw new ServiceError('service_unavailable', 'The log is unavailable. Retry.', { retryAfterSeconds: 1, cause })
  }
}
