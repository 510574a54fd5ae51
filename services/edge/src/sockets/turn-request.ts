import { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import type { EdgeRequest } from '../admission/request-context.ts'

/** Headers of the opening request that are about the connection or its body, or that hold for one request only. */
const dropped =
  /^(?:sec-websocket-.*|connection|upgrade|origin|content-.*|transfer-encoding|expect|accept|accept-encoding|te|trailer|idempotency-key)$/i
const traceHeaders = /^(?:traceparent|tracestate)$/i

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
  request.push(body)
  request.push(null)
  return request
}
