import { kibibyte } from '@ratchet/contracts/byte-sizes'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { OnStop } from '@ratchet/service-kit/process/run-process'
import { createTurnThread, ThreadEnded, type TurnThread } from '@ratchet/service-kit/threads/turn-thread'
import { type ExportResult, openResult, type PackedExport, readPacked } from './export-task.ts'
import type { ExportOrder } from './read-export.ts'

/** Reads the spans of exports. */
export interface ExportReader {
  /**
   * @throws ServiceError 400 that names the field at fault; `request_too_large` for an export that has too many parts, or
   *   needs more memory than it may have; `service_unavailable` after waiting too long for those of others, or when reading
   *   takes too long
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
/** Bytes from which reading may take more than 100 ms. */
const longBytes = 512 * kibibyte
/** Exports of 20 MB need two seconds of a processor, and less than 128 MB. The time counts also while others have it. */
const defaultLimits = { ms: 20_000, heapMb: 192 }
/** A client waits for its answer while others have their turns. */
const turnLimits = { maxWaitMs: 30_000, maxWaitingOfWorkspace: 8 }

const tooMuchMemory = 'Reading the export takes too much memory. Send fewer spans at a time.'
const tooSlow = 'Reading the export takes too long at the moment. Send it again later, or fewer spans at a time.'

/** Reads small exports at once, and the others one by one on threads of its own, for which workspaces take turns. */
export function createExportReader({ onStop, limits = defaultLimits }: ExportReaderOptions): ExportReader {
  const task = new URL('./export-task.ts', import.meta.url)
  const thread = createTurnThread<ExportOrder, ExportResult>({
    task,
    name: 'readSentExport',
    onStop,
    limits,
    ...turnLimits,
    isLong: ({ bytes }) => bytes.length > longBytes,
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
    if (cause.lack === 'memory') throw new ServiceError('request_too_large', tooMuchMemory, { cause })
    throw new ServiceError('service_unavailable', tooSlow, { retryAfterSeconds: 1, cause })
  }
}
