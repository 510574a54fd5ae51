import { kibibyte } from '@ratchet/contracts/byte-sizes'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { OnStop } from '@ratchet/service-kit/process/run-process'
import { createTurnThread, ThreadEnded } from '@ratchet/service-kit/threads/turn-thread'
import { type ExampleOrder, type ExampleReader, type ExampleResult, readExample } from '../datasets/read-example.ts'
import { type EntryOrder, type EntryResult, readEntry } from './read-entry.ts'
import type { UploadJob } from './upload-task.ts'

/** Reads entries and examples of uploads, without blocking the event loop however large one is. */
export interface UploadReader extends ExampleReader {
  /**
   * @throws ServiceError `service_unavailable` when too much of the workspace waits, or for too long, or when reading takes too
   *   long
   */
  entry(order: EntryOrder): Promise<EntryResult>
}

export interface UploadReaderOptions {
  readonly onStop: OnStop
  readonly limits?: { readonly ms: number; readonly heapMb: number }
}

/** Characters that are read without the thread: 25 ms at most on a slow machine, whatever they are. */
const smallLength = 16 * kibibyte
/** Characters from which reading may take more than 100 ms. */
const longLength = 256 * kibibyte
/**
 * What one entry or example may use at most. On a processor of its own, the worst entry takes 1.5 seconds, the worst example
 * 2.5; the time counts also while other processes have the processor.
 */
const defaultLimits = { ms: 10_000, heapMb: 256 }
const turnLimits = { maxWaitMs: 60_000, maxWaitingOfWorkspace: 32 }

const tooLarge = { kind: 'too-large' } as const
const slow = 'To read the upload takes too long at the moment. Send it again later.'

/** Reads small ones at once, and the others one by one on threads of its own, for which workspaces take turns. */
export function createUploadReader({ onStop, limits = defaultLimits }: UploadReaderOptions): UploadReader {
  const task = new URL('./upload-task.ts', import.meta.url)
  const thread = createTurnThread<{ job: UploadJob; order: EntryOrder | ExampleOrder }, EntryResult | ExampleResult>({
    task,
    name: 'readUploaded',
    onStop,
    limits,
    ...turnLimits,
    isLong: ({ order: { text } }) => text.length > longLength,
  })
  const onThread = async (job: UploadJob, order: EntryOrder | ExampleOrder) => {
    try {
      return await thread.run(order.workspaceId, { job, order })
    } catch (error) {
      if (!(error instanceof ThreadEnded)) throw error
      if (error.lack === 'memory') return tooLarge
      throw new ServiceError('service_unavailable', slow, { retryAfterSeconds: 1, cause: error })
    }
  }
  return {
    entry: async (order) =>
      order.text.length <= smallLength ? readEntry(order) : ((await onThread('entry', order)) as EntryResult),
    example: async (order) =>
      order.text.length <= smallLength ? readExample(order) : ((await onThread('example', order)) as ExampleResult),
  }
}
