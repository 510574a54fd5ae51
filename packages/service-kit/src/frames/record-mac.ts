import { createCipheriv, createHmac, createSecretKey, hash, timingSafeEqual } from 'node:crypto'
import { type Frame, FrameError, frameHeadBytes, maxRecordBytes, writeFrame, writeFrameHead } from './frame-format.ts'

export const macBytes = 16
export const lengthBytes = 4
/** Maximum of the length that a record states. */
export const maxSealedBytes = maxRecordBytes + macBytes

/** From this size of its content, a record has the other MAC, which then takes less than half the time. */
export const largeBytes = 16_384

const blockBytes = 64
const numberBytes = 8
const prefixBytes = blockBytes + numberBytes

/** Seals the frames of one direction of a connection. */
export interface Sealer {
  /** The bytes of a record with these frames, in one or more pieces. */
  seal(frames: readonly Frame[]): readonly Buffer[]
  /** To be called when a piece was written: its memory is used for a later record. */
  release(piece: Buffer): void
}

/** Records whose memory is used again. Only a peer that does not read makes more wait, which get memory of their size. */
const maxRooms = 16
const roomBytes = lengthBytes + maxSealedBytes

/**
 * A record that was changed, replayed, left out or moved to another place has a different MAC, because the MAC covers the
 * number of the record.
 */
export function createSealer(secret: Buffer): Sealer {
  const mac = createRecordMac(secret)
  const free: Buffer[] = []
  const used = new Map<ArrayBufferLike, Buffer>()
  const takeRoom = (bytes: number) => {
    if (used.size === maxRooms) return Buffer.allocUnsafe(bytes)
    const room = free.pop() ?? Buffer.allocUnsafeSlow(roomBytes)
    used.set(room.buffer, room)
    return room.subarray(0, bytes)
  }
  const seal = (frames: readonly Frame[]) => {
    let at = prefixBytes
    let largest = 0
    for (const { payload } of frames) {
      at += frameHeadBytes + payload.length
      if (payload.length > largest) largest = payload.length
    }
    const isLarge = at - prefixBytes >= largeBytes
    if (isLarge && largest >= sharedPayloadBytes) return pieces(frames, mac.ofLarge)
    const inner = mac.roomFor(at)
    at = prefixBytes
    for (const frame of frames) at = writeFrame(frame, inner, at)
    const content = inner.subarray(prefixBytes, at)
    const tag = isLarge ? mac.ofLarge([content]) : mac.of(at)
    if (largest >= sharedPayloadBytes) return pieces(frames, () => tag)
    return [joined(takeRoom(lengthBytes + content.length + macBytes), content, tag)]
  }
  return {
    seal,
    release({ buffer }) {
      const room = used.get(buffer)
      if (room === undefined) return
      used.delete(buffer)
      free.push(room)
    },
  }
}

/** From this size, referring to a payload costs less than copying it. */
const sharedPayloadBytes = 4_096

function joined(record: Buffer, content: Buffer, tag: Buffer): Buffer {
  record.writeUInt32BE(content.length + macBytes, 0)
  content.copy(record, lengthBytes)
  tag.copy(record, lengthBytes + content.length, 0, macBytes)
  return record
}

/** The same record with payloads that are not copied, so that large bodies need no further memory. */
function pieces(frames: readonly Frame[], tagOf: (content: readonly Buffer[]) => Buffer): readonly Buffer[] {
  const length = Buffer.allocUnsafe(lengthBytes)
  const parts: Buffer[] = [length]
  let contentBytes = 0
  for (const frame of frames) {
    const head = Buffer.allocUnsafe(frameHeadBytes)
    writeFrameHead(frame, head, 0)
    parts.push(head)
    if (frame.payload.length > 0) parts.push(frame.payload)
    contentBytes += frameHeadBytes + frame.payload.length
  }
  length.writeUInt32BE(contentBytes + macBytes, 0)
  parts.push(Buffer.from(tagOf(parts.slice(1)).subarray(0, macBytes)))
  return parts
}

/**
 * Opens the records of the other direction, in order.
 *
 * @returns a function that returns the frames of a record, and throws FrameError for any record but the next one
 */
export function createOpener(secret: Buffer): (record: Buffer) => Buffer {
  const mac = createRecordMac(secret)
  return (record) => {
    if (record.length <= macBytes) throw new FrameError('an empty record')
    const content = record.subarray(0, record.length - macBytes)
    const given = record.subarray(record.length - macBytes)
    if (!timingSafeEqual(given, expectedMac(mac, content).subarray(0, macBytes))) {
      throw new FrameError('a record is not the next one that the peer sealed')
    }
    return content
  }
}

function expectedMac(mac: RecordMac, content: Buffer): Buffer {
  if (content.length >= largeBytes) return mac.ofLarge([content])
  const end = prefixBytes + content.length
  content.copy(mac.roomFor(end), prefixBytes)
  return mac.of(end)
}

interface RecordMac {
  /** Memory in which the content of the next record is written, from `prefixBytes` to `end`. */
  roomFor(end: number): Buffer
  /** The MAC of the next record, whose content was written. */
  of(end: number): Buffer
  /** The MAC of the next record, whose content is in these parts and has at least `largeBytes` bytes. */
  ofLarge(content: readonly Buffer[]): Buffer
}

/**
 * HMAC-SHA-256 over the number of the record and its content. It is computed with two one-shot hashes in memory that is
 * allocated once, because an object of `createHmac` for every record costs several times as much.
 *
 * Large records have the tag of AES-256-GCM over their content, which is not encrypted, with a key of its own and the number
 * of the record as the nonce, so that no nonce occurs twice. Processors without SHA instructions hash 64 KB five times
 * slower.
 */
function createRecordMac(secret: Buffer): RecordMac {
  const outer = Buffer.alloc(blockBytes + 32, 0x5c)
  let inner = Buffer.alloc(prefixBytes + 4_096, 0x36)
  for (const [i, byte] of secret.entries()) {
    inner[i] = byte ^ 0x36
    outer[i] = byte ^ 0x5c
  }
  // From a key of another kind than KeyObject, Node makes one for every cipher, which costs more than the cipher.
  const largeKey = createSecretKey(createHmac('sha256', secret).update('ratchet frames: large records').digest())
  const nonce = Buffer.alloc(12)
  let number = 0
  return {
    roomFor(end) {
      if (end > inner.length) inner = Buffer.concat([inner.subarray(0, prefixBytes)], end * 2)
      return inner
    },
    of(end) {
      inner.writeUInt32BE(Math.floor(number / 2 ** 32), blockBytes)
      inner.writeUInt32BE(number % 2 ** 32, blockBytes + 4)
      number += 1
      hash('sha256', inner.subarray(0, end), 'buffer').copy(outer, blockBytes)
      return hash('sha256', outer, 'buffer')
    },
    ofLarge(content) {
      nonce.writeBigUInt64BE(BigInt(number), 4)
      number += 1
      const cipher = createCipheriv('aes-256-gcm', largeKey, nonce)
      for (const part of content) cipher.setAAD(part)
      cipher.final()
      return cipher.getAuthTag()
    },
  }
}
