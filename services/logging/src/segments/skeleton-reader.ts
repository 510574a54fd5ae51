import type { OnStop } from '@ratchet/service-kit/process/run-process'
import { createTurnThread } from '@ratchet/service-kit/threads/turn-thread'
import { type PromptSkeleton, promptSkeleton } from './prompt-skeleton.ts'
import type { ReadSkeleton } from './skeleton-task.ts'

/** Reads the skeletons of prompts. */
export interface SkeletonReader {
  /**
   * @param text with normalized lines, not empty
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

/** Characters from which reading may take more than 50 ms. */
const longLength = 50_000

/** Reads short prompts at once, and the others one by one on threads of its own, for which workspaces take turns. */
export function createSkeletonReader(options: SkeletonReaderOptions): SkeletonReader {
  const task = new URL('./skeleton-task.ts', import.meta.url)
  const thread = createTurnThread<string, ReadSkeleton>({
    ...options,
    task,
    name: 'readSkeleton',
    isLong: (text) => text.length > longLength,
  })
  return {
    async read({ workspaceId, text }) {
      if (text.length <= shortLength) return promptSkeleton(text)
      const { familyId, units, label, taskKeys, ownerKey, frames, lines, parts } = await thread.run(workspaceId, text)
      return {
        familyId,
        units,
        label: () => label,
        taskKeys: () => taskKeys,
        ownerKey: () => ownerKey,
        frames: () => frames,
        lines: () => lines,
        parts: () => parts,
      }
    },
  }
}
