import type { CachedAnswer } from './response-cache.ts'

/**
 * The format of an entry: one byte of version, one of the model id's length in bytes, two of the length of what was left
 * out, the model id, what was left out, the body. Another format needs another version, because old and new processes
 * run side by side.
 */
const version = 2
const headBytes = 4

/** @throws RangeError for a model id of more than 255 bytes, or more than 65,535 of what was left out */
export function writeEntry({ servedModel, dropped, body }: CachedAnswer): Buffer {
  const model = Buffer.from(servedModel)
  if (model.length > 255) throw new RangeError(`the model id ${servedModel} is too long`)
  const names = Buffer.from(dropped)
  const head = Buffer.of(version, model.length, 0, 0)
  head.writeUInt16BE(names.length, 2)
  return Buffer.concat([head, model, names, body])
}

/** Null for an entry of another version or with other content. */
export function readEntry(entry: Buffer): CachedAnswer | null {
  const [writtenBy, modelLength] = entry
  if (writtenBy !== version || modelLength === undefined || entry.length < headBytes) return null
  const namesStart = headBytes + modelLength
  const bodyStart = namesStart + entry.readUInt16BE(2)
  if (entry.length <= bodyStart) return null
  return {
    servedModel: entry.toString('utf8', headBytes, namesStart),
    dropped: entry.toString('utf8', namesStart, bodyStart),
    body: entry.subarray(bodyStart),
  }
}
