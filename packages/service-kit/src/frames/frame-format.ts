/*
 * The frames between the edge and inference. Many requests share one connection, and each has a stream of frames.
 *
 * A connection carries records. A record is its length (4 bytes, big-endian) and that many bytes. The first three
 * records prove both peers (handshake.ts). The content of every later record is one or more frames, followed by a MAC
 * of 16 bytes over its number and its frames (record-mac.ts). A frame is never divided between two records.
 *
 *   frame = type (1 byte) | stream (4 bytes) | length of the payload (3 bytes) | payload
 *
 *   type     stream   payload
 *   request  new      method, target and headers (head-block.ts); numbers of streams increase
 *   answer   of it    status and headers
 *   data     of it    bytes of the body of the request or the answer
 *   end      of it    none: the sender's body is complete
 *   reset    of it    none: the sender ends the exchange before it is complete
 *   credit   of it    4 bytes: the receiver may send that many more bytes of its body
 *   ping     0        none; answered with pong
 *   pong     0        none
 *   goAway   0        none: inference takes no new streams; running ones are finished
 *
 * Each side begins every stream with a credit, below. A sender without credit waits, so a peer that reads one stream
 * slowly neither stalls the others nor makes the sender or the receiver hold more than the credit of that stream.
 */

export const frameTypes = {
  request: 1,
  answer: 2,
  data: 3,
  end: 4,
  reset: 5,
  credit: 6,
  ping: 7,
  pong: 8,
  goAway: 9,
} as const

export type FrameType = (typeof frameTypes)[keyof typeof frameTypes]

export interface Frame {
  readonly type: FrameType
  readonly stream: number
  readonly payload: Buffer
}

/** Maximum bytes of the payload of one frame: two of them and their heads fill a record. */
export const maxPayloadBytes = 16_376
/** Maximum bytes of the head of a request or an answer; the limit of Node's HTTP. */
export const maxHeadBytes = 16_376
/** Maximum bytes of the frames of one record. */
export const maxRecordBytes = 32_768
/** Maximum streams that are open on a connection. */
export const maxOpenStreams = 4_096
/** Bytes of a request's body that the edge may send before inference grants more. */
export const requestCreditBytes = 262_144
/** Bytes of an answer's body that inference may send before the edge grants more. */
export const answerCreditBytes = 65_536

export const frameHeadBytes = 8
const knownTypes: ReadonlySet<number> = new Set(Object.values(frameTypes))

/** The peer broke the rules of the protocol. Its connection is closed. */
export class FrameError extends Error {
  override name = 'FrameError'
}

/** Writes a frame and returns the position after it. */
export function writeFrame(frame: Frame, to: Buffer, at: number): number {
  writeFrameHead(frame, to, at)
  frame.payload.copy(to, at + frameHeadBytes)
  return at + frameHeadBytes + frame.payload.length
}

/** Writes what precedes the payload of a frame. */
export function writeFrameHead({ type, stream, payload }: Frame, to: Buffer, at: number): void {
  to[at] = type
  to.writeUInt32BE(stream, at + 1)
  to.writeUIntBE(payload.length, at + 5, 3)
}

/**
 * Reads the frames of one record in order. Payloads share the memory of `bytes`.
 *
 * @throws FrameError for an unknown type, a payload that is too long, or a frame that is cut off
 */
export function readFrames(bytes: Buffer, onFrame: (frame: Frame) => void): void {
  let at = 0
  while (at < bytes.length) {
    if (bytes.length - at < frameHeadBytes) throw new FrameError('a frame is cut off')
    const type = bytes[at] as number
    const length = bytes.readUIntBE(at + 5, 3)
    if (!knownTypes.has(type)) throw new FrameError(`unknown type of frame: ${type}`)
    if (length > maxPayloadBytes) throw new FrameError(`a payload of ${length} bytes`)
    const end = at + frameHeadBytes + length
    if (end > bytes.length) throw new FrameError('a frame is cut off')
    onFrame({
      type: type as FrameType,
      stream: bytes.readUInt32BE(at + 1),
      payload: bytes.subarray(at + frameHeadBytes, end),
    })
    at = end
  }
}
