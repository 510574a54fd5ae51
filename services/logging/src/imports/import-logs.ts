import { setImmediate as nextTurn } from 'node:timers/promises'
import { mebibyte } from '@ratchet/contracts/byte-sizes'
import type { LogImport } from '@ratchet/contracts/log-import'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { FairPlaces } from '@ratchet/service-kit/timing/fair-places'
import { isOverQuota } from '@ratchet/work-kit/storage/within-quota'
import type { IngestEvent } from '../capture/ingest.ts'
import { type ExchangeLog, UnstorableExchange } from '../exchanges/exchange-log.ts'
import { expiryDay } from '../exchanges/expiry-day.ts'
import type { UnsegmentedExchange } from '../exchanges/raw-exchange.ts'
import { uuidOfLog } from '../logs/log-id.ts'
import type { Redacted, Redactor } from '../redaction/redactor.ts'
import type { Storage } from '../storage/pg-storage.ts'
import { errorOf } from '../threads/refusal.ts'
import type { EntryLine } from './entry-lines.ts'
import { createImportReport, type EntryPlace, type ImportReport } from './import-report.ts'
import type { ImportStore } from './import-store.ts'
import { importRequestId } from './imported-exchange.ts'
import type { ReadEntry } from './read-entry.ts'
import type { UploadReader } from './upload-reader.ts'

export interface ImportDeps {
  readonly log: ExchangeLog
  readonly importStore: ImportStore
  readonly storage: Pick<Storage, 'add'>
  readonly redactor: Pick<Redactor, 'exchanges'>
  readonly uploads: UploadReader
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

interface PlacedEntry extends ReadEntry {
  readonly place: EntryPlace
}

/** A redacted entry, which is stored unless the log has it already. */
interface ReadyEntry {
  readonly place: EntryPlace
  readonly exchange: UnsegmentedExchange
  /** UUID of the log entry from which it was exported; null when its id is not that of a log entry. */
  readonly entryId: string | null
}

/** Limits of a batch that is stored together. */
const batchEntries = 100
const batchBytes = 2 * mebibyte

/**
 * Imports entries into the log, with one batch in memory at a time. Entries that the log has already are skipped. An
 * entry that cannot be stored does not affect the others.
 *
 * @throws ServiceError 400 when no entry could be imported, `quota_exceeded`, or `service_unavailable` when the log cannot
 *   be written: entries that were imported until then stay
 */
export async function importLogs(deps: ImportDeps, order: ImportOrder): Promise<LogImport> {
  const report = createImportReport(order.where)
  let batch: PlacedEntry[] = []
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
    const entry = await readLine(deps, { order, line, report })
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
async function readLine(
  { uploads, now, newId }: ImportDeps,
  { order: { workspaceId, retentionDays }, line, report }: Reading,
): Promise<PlacedEntry | null> {
  const { text, ...place } = line
  const order = { workspaceId, retentionDays, id: newId(), at: now() }
  const result = text === null ? tooLarge : await uploads.entry({ text, ...order })
  if (result.kind === 'read') return { place, ...result.entry }
  if (result.kind === 'refused') report.failed(place, errorOf(result))
  else report.tooLarge()
  return null
}

const tooLarge = { kind: 'too-large' } as const

interface Batch<Entry> {
  readonly entries: readonly Entry[]
  readonly report: ImportReport
}

interface OwnBatch extends Batch<PlacedEntry> {
  readonly workspaceId: string
}

async function storeBatch(deps: ImportDeps, { workspaceId, ...batch }: OwnBatch): Promise<void> {
  const { entries, report } = batch
  try {
    const ready = readyEntries(
      batch,
      await deps.redactor.exchanges(
        workspaceId,
        entries.map(({ written }) => written),
      ),
    )
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
  { entries, report }: Batch<PlacedEntry>,
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
