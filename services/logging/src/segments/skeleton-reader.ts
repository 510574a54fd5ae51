import type { OnStop } from '@ratchet/service-kit/process/run-process'
import { createFairPlaces } from '@ratchet/service-kit/timing/fair-places'
import { Piscina } from 'piscina'
import { type PromptSkeleton, promptSkeleton } from './prompt-skeleton.ts'
import type { ReadSkeleton } from './skeleton-task.ts'

/** Reads the skeletons of prompts. */
export interface SkeletonReader {
  /**
   * @param text whitespace-normalized and not empty
   * @throws ServiceError `service_unavailable` when too many prompts of the workspace wait, or for too long
   */
  read(prompt: { readonly workspaceId: string; readonly text: string }): Promise<PromptSkeleton>
}

export interface SkeletonReaderOptions {
  readonly onStop: OnStop
  /** Milliseconds that a long prompt waits for those of others at most. */
  readonly maxWaitMs: number
  /** Long prompts of one workspace that wait at most. */
  readonly maxWaitingOfWorkspace: number
}

/** Characters of a prompt that is read without the thread: 2 ms, or 10 ms on a slow machine for the worst text. */
const shortLength = 2_000
const maxWaiting = 1_000
/** The thread gets neither the keys nor the instrumentation of this process. It ends when no long prompt comes. */
const thread = { minThreads: 0, maxThreads: 1, idleTimeout: 60_000, env: {}, execArgv: [] }

/** Reads short prompts at once, and the others one by one on a thread of its own, for which workspaces take turns. */
export function createSkeletonReader(options: SkeletonReaderOptions): SkeletonReader {
  const { onStop, maxWaitMs, maxWaitingOfWorkspace: ofOwner } = options
  const filename = new URL('./skeleton-task.ts', import.meta.url).href
  const pool = new Piscina<string, ReadSkeleton>({ filename, name: 'readSkeleton', ...thread })
  const turns = createFairPlaces({ places: 1, maxOfOwner: 1, maxWaitMs, maxWaiting: { ofOwner, ofAll: maxWaiting } })
  // A thread may die while it is idle; piscina starts the next one.
  pool.on('error', () => undefined)
  onStop(() => pool.destroy())
  return {
    async read({ workspaceId, text }) {
      if (text.length <= shortLength) return promptSkeleton(text)
      const { familyId, units, label, taskKey } = await turns.run(workspaceId, () => pool.run(text))
      return { familyId, units, label: () => label, taskKey: () => taskKey }
    },
  }
}
