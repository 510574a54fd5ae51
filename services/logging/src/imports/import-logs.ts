import { setImmediate as nextTurn } from 'node:timers/promises'
import { mebibyte } from '@ratchet/contracts/byte-sizes'
import { ImportedLog, type LogImport } from '@ratchet/contracts/log-import'
import { parseInput } from '@ratchet/service-kit/http/parse-input'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { hourMs } from '@ratchet/service-kit/timing/durations'
import type { FairPlaces } from '@ratchet/service-kit/timing/fair-places'
import { isObject } from '@ratchet/service-kit/values/json'
import { isOverQuota } from '@ratchet/work-kit/storage/within-quota'
import type { IngestEvent } from '../capture/ingest.ts'
import { type ExchangeLog, UnstorableExchange } from '../exchanges/exchange-log.ts'
import { expiryDay } from '../exchanges/expiry-day.ts'
import type { RawContent, UnsegmentedExchange } from '../exchanges/raw-exchange.ts'
import { uuidOfLog } from '../logs/log-id.ts'
import type { Redacted, Redactor, WrittenExchange } from '../redaction/redactor.ts'
import type { Storage } from '../storage/pg-storage.ts'
import type { EntryLine } from './entry-lines.ts'
import { createImportReport, type EntryPlace, type ImportReport } from './import-report.ts'
import type { ImportStore } from './import-store.ts'
import { type ImportIdentity, importRequestId, rawExchange, withExactContent } from './imported-exchange.ts'

export interface ImportDeps {
  readonly log: ExchangeLog
  readonly importStore: ImportStore
  readonly storage: Pick<Storage, 'add'>
  readonly redactor: Pick<Redactor, 'exchanges'>
  /** In which batches are redacted and stored. */
  readonly places: FairPlaces
  readonly now: () => Date
  readonly newId: () => string
  readonly onImport: (event: IngestEvent) => void
}

export interface ImportOrder {
  readonly workspaceId: string
  readonly retentionDays: number
  readonly lines: AsyncIterable<EntryLine> | Iterable<EntryLine>
  /** Name of the field that contains the entries, for errors. */
  readonly where: string
}

/** A valid entry before redaction. */
interface ReadEntry extends ImportIdentity {
  readonly place: EntryPlace
  readonly written: WrittenExchange
}

/** A redacted entry, which is stored unless the log has it already. */
interface ReadyEntry {
  readonly place: EntryPlace
  readonly exchange: UnsegmentedExchange
  /** UUID of the log entry from which it was exported; null when its id is not that of a log entry. */
  readonly entryId: string | null
}

/** Maximum bytes of messages, tools and response as JSON. Larger entries are not stored. */
const maxBytes = 512 * 1024
/** Limits of a batch that is stored together. */
const batchEntries = 100
const batchBytes = 2 * mebibyte
/** Milliseconds that a client's clock may be ahead of ours. */
const futureMs = hourMs

/**
 * Imports entries into the log, with one batch in memory at a time. Entries that the log has already are skipped. An
 * entry that cannot be stored does not affect the others.
 *
 * @throws ServiceError 400 when no entry could be imported, `quota_exceeded`, or `service_unavailable` when the log cannot
 *   be written: entries that were imported until then stay
 */
export async function importLogs(deps: ImportDeps, order: ImportOrder): Promise<LogImport> {
  const report = createImportReport(order.where)
  let batch: ReadEntry[] = []
  let bytes = 0
  const flush = async () => {
    const entries = batch
    batch = []
    bytes = 0
    const { workspaceId } = order
    if (entries.length === 0) return
    await deps.places.run(workspaceId, () => storeBatch(deps, { workspaceId, entries, report }))
  }
  for await (const line of order.lines) {
    await nextTurn()
    const entry = readEntry(deps, { order, line, report })
    if (entry === null) continue
    batch.push(entry)
    bytes += entry.written.content.length
    if (batch.length >= batchEntries || bytes >= batchBytes) await flush()
  }
  await flush()
  return report.read()
}

interface Reading {
  readonly order: ImportOrder
  readonly line: EntryLine
  readonly report: ImportReport
}

/** Returns null for an entry that cannot be stored, after counting it in the report. */
function readEntry({ now, newId }: ImportDeps, { order, line, report }: Reading): ReadEntry | null {
  if (line.kind === 'too-long') {
    report.tooLarge()
    return null
  }
  try {
    if (line.kind === 'not-json') throw new ServiceError('invalid_request', 'The line is not JSON.')
    const log = parseEntry(line.value, now())
    const { content, ...known } = rawExchange(withExactContent(log, line.exact), { ...order, id: newId(), at: now() })
    if (sizeOf(content) <= maxBytes) {
      const identity = { id: log.id ?? null, isDated: (log.created_at ?? null) !== null }
      const place = { line: line.line, param: line.param }
      return { ...identity, place, written: { known, content: JSON.stringify(content) } }
    }
    report.tooLarge()
  } catch (error) {
    report.failed(line, asRefusal(error))
  }
  return null
}

function parseEntry(value: unknown, now: Date): ImportedLog {
  if (!isObject(value)) throw new ServiceError('invalid_request', 'The entry must be an object.')
  const log = parseInput(ImportedLog, value)
  const createdAt = log.created_at?.getTime()
  if (createdAt !== undefined && (createdAt < 0 || createdAt > now.getTime() + futureMs)) {
    throw new ServiceError('invalid_request', '`created_at` must be between 1970 and now.', { param: 'created_at' })
  }
  return log
}

function sizeOf({ messages, response, tools }: RawContent): number {
  return [messages, response, tools].reduce<number>(
    (bytes, value) => bytes + (value === null ? 0 : Buffer.byteLength(JSON.stringify(value))),
    0,
  )
}

/** A RangeError comes from JSON that is nested too deeply to be written again. */
function asRefusal(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  if (error instanceof RangeError) return new ServiceError('invalid_request', 'The entry is nested too deeply.')
  throw error
}

interface Batch<Entry> {
  readonly entries: readonly Entry[]
  readonly report: ImportReport
}

interface OwnBatch extends Batch<ReadEntry> {
  readonly workspaceId: string
}

async function storeBatch(deps: ImportDeps, { workspaceId, ...batch }: OwnBatch): Promise<void> {
  const { entries, report } = batch
  try {
    const ready = readyEntries(batch, await deps.redactor.exchanges(entries.map(({ written }) => written)))
    const unknown = await unknownEntries(deps, { workspaceId, entries: ready })
    await countBytes(deps, workspaceId, unknown)
    const { stored, refused } = await write(deps, { entries: unknown, report })
    const duplicates = ready.length - stored - refused
    deps.onImport({ kind: 'stored', count: stored })
    deps.onImport({ kind: 'duplicate', count: duplicates })
    report.imported(stored)
    report.duplicates(duplicates)
  } catch (cause) {
    if (isOverQuota(cause)) throw cause
    const message =
      'The log cannot be written at the moment. Imported entries stay; send the same request again for the rest.'
    throw new ServiceError('service_unavailable', message, { retryAfterSeconds: 1, cause })
  }
}

/** Bytes of entries that are refused afterwards, or whose write fails, are counted as well, until they would expire. */
async function countBytes({ storage }: ImportDeps, workspaceId: string, entries: readonly ReadyEntry[]): Promise<void> {
  const [first] = entries
  if (first === undefined) return
  const bytes = entries.reduce((sum, { exchange }) => sum + exchange.sizeBytes, 0)
  await storage.add({ workspaceId, expiresOn: expiryDay(first.exchange.expiresAt), bytes })
}

function readyEntries(
  { entries, report }: Batch<ReadEntry>,
  redacted: readonly Redacted<UnsegmentedExchange>[],
): readonly ReadyEntry[] {
  return entries.flatMap((entry, index) => {
    const result = redacted[index]
    if (result?.kind === 'done') {
      const exchange = { ...result.value, requestId: importRequestId(result.value, entry) }
      return [{ place: entry.place, exchange, entryId: entry.id === null ? null : uuidOfLog(entry.id) }]
    }
    report.failed(
      entry.place,
      new ServiceError('invalid_request', 'The entry could not be redacted, so it was not stored.'),
    )
    return []
  })
}

/** The entries that the log does not have, each once. */
async function unknownEntries(
  { importStore, now }: ImportDeps,
  { workspaceId, entries }: { readonly workspaceId: string; readonly entries: readonly ReadyEntry[] },
): Promise<readonly ReadyEntry[]> {
  const known = await importStore.known({
    workspaceId,
    requestIds: entries.map(({ exchange }) => exchange.requestId),
    entryIds: entries.flatMap(({ entryId }) => entryId ?? []),
    at: now(),
  })
  const unknown = entries.filter(
    ({ exchange, entryId }) => !known.has(exchange.requestId) && (entryId === null || !known.has(entryId)),
  )
  return [...new Map(unknown.map((entry) => [entry.exchange.requestId, entry])).values()]
}

interface Written {
  readonly stored: number
  readonly refused: number
}

/** Halves the batch until an entry that the database refuses is found, so that the others are stored. */
async function write(deps: ImportDeps, { entries, report }: Batch<ReadyEntry>): Promise<Written> {
  const [first] = entries
  if (first === undefined) return { stored: 0, refused: 0 }
  try {
    return { stored: await deps.log.write(entries.map(({ exchange }) => exchange)), refused: 0 }
  } catch (error) {
    if (!(error instanceof UnstorableExchange)) throw error
    if (entries.length === 1) {
      report.failed(
        first.place,
        new ServiceError('invalid_request', 'The entry contains values that the log cannot store.'),
      )
      return { stored: 0, refused: 1 }
    }
  }
  const middle = Math.ceil(entries.length / 2)
  const some = await write(deps, { entries: entries.slice(0, middle), report })
  const others = await write(deps, { entries: entries.slice(middle), report })
  return { stored: some.stored + others.stored, refused: some.refused + others.refused }
}
