import { kibibyte } from '@ratchet/contracts/byte-sizes'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { OnStop } from '@ratchet/service-kit/process/run-process'
import { createTurnThread, ThreadEnded, type TurnThread } from '../../threads/turn-thread.ts'
import { type ExportResult, openResult, type PackedExport, readPacked } from './export-task.ts'
import type { ExportOrder } from './read-export.ts'

/** Reads the spans of exports. */
export interface ExportReader {
  /**
   * @throws ServiceError 400 that names the field at fault; `request_too_large` for an export that has too many parts, or
   *   needs more memory or time than it may have; `service_unavailable` after waiting too long for those of others
   */
  read(order: ExportOrder): Promise<PackedExport>
}

export interface ExportReaderOptions {
  readonly onStop: OnStop
  /** What one export may use at most. */
  readonly limits?: { readonly ms: number; readonly heapMb: number }
}

/** Bytes of an export that is read without the thread: 10 ms at most, whatever it contains. */
const smallBytes = 8 * kibibyte
/** A hundred times what an export of 4 MB needs. Each part is about a hundred bytes in memory. */
const defaultLimits = { ms: 20_000, heapMb: 512 }
/** A client waits for its answer while others have their turns. */
const turnLimits = { maxWaitMs: 30_000, maxWaitingOfWorkspace: 8 }

/** Reads small exports at once, and the others one by one on a thread of its own, for which workspaces take turns. */
export function createExportReader({ onStop, limits = defaultLimits }: ExportReaderOptions): ExportReader {
  const task = new URL('./export-task.ts', import.meta.url)
  const thread = createTurnThread<ExportOrder, ExportResult>({
    task,
    name: 'readSentExport',
    onStop,
    limits,
    ...turnLimits,
  })
  return {
    async read(order) {
      return openResult(order.bytes.length <= smallBytes ? readPacked(order) : await readOn(thread, order))
    },
  }
}

async function readOn(thread: TurnThread<ExportOrder, ExportResult>, order: ExportOrder): Promise<ExportResult> {
  // A copy, because a Buffer may be a part of memory that others use.
  const bytes = new Uint8Array(order.bytes)
  try {
    return await thread.run(order.owner.workspaceId, { ...order, bytes }, [bytes.buffer])
  } catch (cause) {
    if (!(cause instanceof ThreadEnded)) throw cause
    const message = 'Reading the export takes too much memory or time. Send fewer spans at a time.'
    throw new ServiceError('request_too_large', message, { cause })
  }
}
