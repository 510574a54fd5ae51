/** A packet of audio (RFC 3550, section 5.1). */
export interface RtpPacket {
  /** 0 to 127. */
  readonly payloadType: number
  /** The first packet after a pause. */
  readonly isMarked: boolean
  /** 16 bits. */
  readonly sequence: number
  /** 32 bits, in samples. */
  readonly timestamp: number
  /** 32 bits. */
  readonly ssrc: number
  readonly payload: Uint8Array
}

const headerBytes = 12

/** @returns null for what is no RTP */
export function parseRtp(bytes: Uint8Array): RtpPacket | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < headerBytes || view.getUint8(0) >> 6 !== 2) return null
  const first = view.getUint8(0)
  const second = view.getUint8(1)
  let from = headerBytes + 4 * (first & 0xf)
  if ((first & 0x10) !== 0) {
    if (bytes.length < from + 4) return null
    from += 4 + 4 * view.getUint16(from + 2)
  }
  const padding = (first & 0x20) === 0 ? 0 : (bytes.at(-1) ?? 0)
  const to = bytes.length - padding
  if (from > to) return null
  return {
    payloadType: second & 0x7f,
    isMarked: (second & 0x80) !== 0,
    sequence: view.getUint16(2),
    timestamp: view.getUint32(4),
    ssrc: view.getUint32(8),
    payload: bytes.subarray(from, to),
  }
}

export function writeRtp({ payloadType, isMarked, sequence, timestamp, ssrc, payload }: RtpPacket): Uint8Array {
  const bytes = new Uint8Array(headerBytes + payload.length)
  const view = new DataView(bytes.buffer)
  view.setUint8(0, 0x80)
  view.setUint8(1, (isMarked ? 0x80 : 0) | (payloadType & 0x7f))
  view.setUint16(2, sequence & 0xffff)
  view.setUint32(4, timestamp >>> 0)
  view.setUint32(8, ssrc >>> 0)
  bytes.set(payload, headerBytes)
  return bytes
}
