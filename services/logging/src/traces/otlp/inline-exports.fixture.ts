import type { ExportReader } from './export-reader.ts'
import { openResult, readPacked } from './export-task.ts'

/** Reads every export without a thread. */
export const inlineExports: ExportReader = { read: async (order) => openResult(readPacked(order)) }
