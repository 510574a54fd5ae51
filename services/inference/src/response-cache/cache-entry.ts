import type { CachedAnswer } from './response-cache.ts'

/**
 * The format of an entry: one byte of version, one of the model id's length in bytes, the model id, the body. Another
 * format needs another version, because old and new processes run side by side.
 */
const version = 1

/** @throws RangeError for a model id of more than 255 bytes */
export function writeEntry({ servedModel, body }: CachedAnswer): Buffer {
  const model = Buffer.from(servedModel)
  if (model.length > 255) throw new RangeError(`the model id ${servedModel} is too long`)
  return Buffer.concat([Buffer.of(version, model.length), model, body])
}

/** Null for an entry of another version or with other content. */
export function readEntry(entry: Buffer): CachedAnswer | null {
  const [writtenBy, modelLength] = entry
  if (writtenBy !== version || modelLength === undefined) return null
  const bodyStart = 2 + modelLength
  if (entry.length <= bodyStart) return null
  return { servedModel: entry.toString('utf8', 2, bodyStart), body: entry.subarray(bodyStart) }
}
