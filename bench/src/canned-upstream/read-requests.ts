const headEnd = Buffer.from('\r\n\r\n')
const lastChunk = Buffer.from('0\r\n\r\n')

/**
 * Splits the bytes of one connection into requests and reports each body, with its chunk framing. It supports only clients
 * that send one request and wait for its answer; a complete parser would need as much CPU as a proxy.
 */
export function createRequestReader(onRequest: (body: Buffer) => void): (bytes: Buffer) => void {
  let parts: Buffer[] = []
  let received = 0
  /** Bytes of the whole request; null until its head is read, NaN for a chunked body. */
  let expected: number | null = null
  let bodyStart = 0

  return (bytes) => {
    parts.push(bytes)
    received += bytes.length
    if (expected === null) {
      const all = parts.length === 1 ? bytes : Buffer.concat(parts)
      const end = all.indexOf(headEnd)
      if (end === -1) return
      bodyStart = end + headEnd.length
      expected = bodyStart + bodyLength(all.toString('latin1', 0, end))
    }
    const complete = Number.isNaN(expected) ? endsWith(bytes, lastChunk) : received >= expected
    if (!complete) return
    const request = parts.length === 1 ? bytes : Buffer.concat(parts)
    parts = []
    received = 0
    expected = null
    onRequest(request.subarray(bodyStart))
  }
}

function bodyLength(head: string): number {
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (length !== undefined) return Number(length)
  return /\r\ntransfer-encoding: *chunked/i.test(head) ? Number.NaN : 0
}

function endsWith(bytes: Buffer, end: Buffer): boolean {
  return bytes.length >= end.length && bytes.subarray(-end.length).equals(end)
}
