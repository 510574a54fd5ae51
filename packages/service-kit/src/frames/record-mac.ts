import { hash, timingSafeEqual } from 'node:crypto'
import { type Frame, FrameError, frameHeadBytes, maxRecordBytes, writeFrame } from './frame-format.ts'

export const macBytes = 16
export const lengthBytes = 4
/** Maximum of the length that a record states. */
export const maxSealedBytes = maxRecordBytes + macBytes

const blockBytes = 64
const numberBytes = 8
const prefixBytes = blockBytes + numberBytes

/**
 * Seals the frames of one direction of a connection. A record that was changed, replayed, left out or moved to another
 * place has a different MAC, because the MAC covers the number of the record.
 */
export function createSealer(secret: Buffer): (frames: readonly Frame[]) => Buffer {
  const macOf = createRecordMac(secret)
  return (frames) => {
    let contentBytes = 0
    for (const { payload } of frames) contentBytes += frameHeadBytes + payload.length
    const record = Buffer.allocUnsafe(lengthBytes + contentBytes + macBytes)
    record.writeUInt32BE(contentBytes + macBytes, 0)
    let at = lengthBytes
    for (const frame of frames) at = writeFrame(frame, record, at)
    macOf(record.subarray(lengthBytes, at)).copy(record, at, 0, macBytes)
    return record
  }
}

/**
 * Opens the records of the other direction, in order.
 *
 * @returns a function that returns the frames of a record, and throws FrameError for any record but the next one
 */
export function createOpener(secret: Buffer): (record: Buffer) => Buffer {
  const macOf = createRecordMac(secret)
  return (record) => {
    if (record.length <= macBytes) throw new FrameError('an empty record')
    const content = record.subarray(0, record.length - macBytes)
    const given = record.subarray(record.length - macBytes)
    if (!timingSafeEqual(given, macOf(content).subarray(0, macBytes))) {
      throw new FrameError('a record is not the next one that the peer sealed')
    }
    return content
  }
}

/**
 * HMAC-SHA-256 over the number of the record and its content. It is computed with two one-shot hashes in memory that is
 * allocated once, because an object of `createHmac` for every record costs several times as much.
 */
function createRecordMac(secret: Buffer): (content: Buffer) => Buffer {
  const outer = Buffer.alloc(blockBytes + 32, 0x5c)
  let inner = Buffer.alloc(prefixBytes + 4_096, 0x36)
  for (const [i, byte] of secret.entries()) {
    inner[i] = byte ^ 0x36
    outer[i] = byte ^ 0x5c
  }
  let number = 0
  return (content) => {
    const end = prefixBytes + content.length
    if (end > inner.length) inner = Buffer.concat([inner.subarray(0, prefixBytes)], prefixBytes + content.length * 2)
    inner.writeUInt32BE(Math.floor(number / 2 ** 32), blockBytes)
    inner.writeUInt32BE(number % 2 ** 32, blockBytes + 4)
    content.copy(inner, prefixBytes)
    number += 1
    hash('sha256', inner.subarray(0, end), 'buffer').copy(outer, blockBytes)
    return hash('sha256', outer, 'buffer')
  }
}
