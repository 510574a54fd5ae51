import { readExample } from '../datasets/read-example.ts'
import { readEntry } from './read-entry.ts'
import type { UploadReader } from './upload-reader.ts'

/** Reads every entry and example without a thread. */
export const inlineUploads: UploadReader = {
  entry: async (order) => readEntry(order),
  example: async (order) => readExample(order),
}
