import { promptSkeleton } from './prompt-skeleton.ts'
import type { SkeletonReader } from './skeleton-reader.ts'

/** Reads every prompt without a thread. */
export const inlineSkeletons: SkeletonReader = { read: async ({ text }) => promptSkeleton(text) }
