interface ServiceMemory {
  /** See `ServiceDefinition`. */
  readonly newMb?: number
  readonly oldMb?: number
}

/**
 * Flags of Node for a service. With 8 MB for new objects a process takes up to 100 MB less memory than without a limit for
 * them. Edge and inference have 16 MB: with many requests at once, what all of them hold is copied by each collection, and
 * half as many collections save a tenth to a fifth of inference's processor time. An idle process gives that memory back.
 *
 * Buffers count as older objects from the start. Node's own limit for them is so low in a small heap that bodies of 64 KB make
 * a process collect all of its heap every few dozen requests. The log's worker has a higher one. Edge and inference do not,
 * because slow clients make them grow (fault F2).
 */
export function nodeFlags({ newMb = 8, oldMb }: ServiceMemory): readonly string[] {
  const old = oldMb === undefined ? [] : [`--initial-old-space-size=${oldMb}`]
  return [`--max-semi-space-size=${newMb}`, ...old]
}

/**
 * Flags of Node for the process of `npm start`, which only watches the others: V8 grows its heap in small steps and collects
 * all of it often. It takes half of the memory then. A process that does more would spend too much time on collecting.
 */
export const smallMemory: readonly string[] = ['--optimize-for-size']

/**
 * Settings of the C library's memory for every process of the fleet. By default it gives back little of what a process has
 * used: it takes ever larger pieces out of its heap once one of them was freed, and has a heap for many threads
 * ([ADR 63](../../../docs/adr/0063-clients-that-do-not-read.md)).
 */
export const memorySettings = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '4194304',
} as const

/**
 * In place of them for the log's worker. It reads, decrypts and writes a megabyte at a time, and with the others the kernel
 * would give it new pages for each of these.
 */
export const workerMemorySettings = {
  MALLOC_MMAP_THRESHOLD_: '4194304',
  MALLOC_TRIM_THRESHOLD_: '16777216',
} as const
