import { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import type { EdgeRequest } from '../admission/request-context.ts'

/** Headers of the opening request that are about the connection or its body, or that hold for one request only. */
const dropped =
  /^(?:sec-websocket-.*|connection|upgrade|origin|content-.*|transfer-encoding|expect|accept|accept-encoding|te|trailer|idempotency-key)$/i
const traceHeaders = /^(?:traceparent|tracestate)$/i

/** Bytes of a body that are read at a time. */
const partBytes = 65_536

export interface TurnRequestOptions {
  /** The request that opened the WebSocket. Its key, its switches and its address hold for every turn. */
  readonly opening: Pick<IncomingMessage, 'rawHeaders' | 'url'>
  readonly remoteAddress: string
  readonly body: Buffer
  /** In place of the trace of the opening request; null when the turn names none. */
  readonly traceparent: string | null
  /** The connection must be cut. */
  readonly onCut: () => void
}

/** A turn as the HTTP request that it would be without a WebSocket. */
export function turnRequest({ opening, remoteAddress, body, traceparent, onCut }: TurnRequestOptions): EdgeRequest {
  // In place of the client's connection, which belongs to the WebSocket.
  const peer = new Duplex({ read() {} }) as Socket
  Object.defineProperty(peer, 'remoteAddress', { value: remoteAddress })
  peer.once('close', onCut)
  const request = new IncomingMessage(peer) as EdgeRequest
  const { rawHeaders, url = '' } = opening
  const kept = rawHeaders.flatMap((value, index) => {
    const name = rawHeaders[index - (index % 2)] ?? ''
    return dropped.test(name) || (traceparent !== null && traceHeaders.test(name)) ? [] : [value]
  })
  Object.assign(request, {
    method: 'POST',
    url,
    hasWatchedReader: true,
    httpVersion: '1.1',
    httpVersionMajor: 1,
    httpVersionMinor: 1,
    complete: true,
    rawHeaders: [
      ...kept,
      ...['content-type', 'application/json', 'content-length', String(body.length), 'accept', 'text/event-stream'],
      ...(traceparent === null ? [] : ['traceparent', traceparent]),
    ],
  })
  pushInParts(request, body)
  return request
}

/** A request that was read to its end has left this memory but for one part. A small one is there at once. */
function pushInParts(request: IncomingMessage, body: Buffer): void {
  let sent = 0
  const push = () => {
    const part = body.subarray(sent, sent + partBytes)
    sent += part.length
    request.push(part)
    if (sent === body.length) request.push(null)
  }
  request._read = () => {
    if (sent < body.length) push()
  }
  push()
}
