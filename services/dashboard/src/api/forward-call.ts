import type { IncomingMessage, ServerResponse } from 'node:http'
import { PassThrough, type Readable, type Writable } from 'node:stream'
import {
  type CallClocks,
  startUpstreamCall,
  type UpstreamFailure,
  type UpstreamRequest,
} from '@ratchet/http/upstream-call'
import { answerHeaders } from './api-headers.ts'
import { compressedHeaders, compressorFor } from './compress-reply.ts'

/** Connections to the edge's door for people. */
export type Upstream = Parameters<typeof startUpstreamCall>[0]

export interface ForwardedCall extends Pick<UpstreamRequest, 'method' | 'path' | 'headers'> {
  readonly upstream: Upstream
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Is called when there is no answer. */
  readonly fail: (failure: UpstreamFailure | 'identity_refused') => void
}

/** An answer that is not streamed may take minutes, and an upload an hour. */
const clocks: CallClocks = { firstByteMs: 3_600_000, idleMs: 300_000, totalMs: 7_200_000 }

/** Sends a request to the edge and its answer to the browser, both as they arrive. Resolves when the answer is over. */
export function forwardCall(forwarded: ForwardedCall): Promise<void> {
  return new Promise((resolve) => {
    // The browser may have left while the call waited for its place. There is no second event for that.
    if (forwarded.response.destroyed) return resolve()
    forwarded.response.once('close', resolve)
    startCall(forwarded)
  })
}

function startCall({ upstream, method, path, headers, request, response, fail }: ForwardedCall): void {
  const sent = { method, path, headers, body: bodyOf(request), clocks }
  /** What the bytes of the answer are written to: the browser's connection, or what compresses them for it. */
  let target: Writable = response
  const call = startUpstreamCall(upstream, sent, {
    onHead(status, answered) {
      if (status === 401) {
        call.abort()
        return fail('identity_refused')
      }
      const passed = answerHeaders(answered)
      const compressor = compressorFor({ request, status, headers: answered })
      response.writeHead(status, compressor === null ? passed : compressedHeaders(passed))
      response.flushHeaders()
      if (compressor === null) return
      target = compressor
      compressor.pipe(response)
      compressor.on('drain', () => call.resume())
    },
    onData(chunk) {
      if (response.headersSent && !target.write(chunk)) call.pause()
    },
    onEnd: () => void target.end(),
    onFailure(failure) {
      // Aborted here, because the browser left or the answer is not passed on.
      if (failure.kind === 'aborted') return
      if (!response.headersSent) fail(failure)
      // An answer that has begun can only be cut.
      else if (!response.writableEnded) response.destroy()
    },
  })
  // Of an answer that is compressed, the compressor waits for the browser.
  response.on('drain', () => target === response && call.resume())
  response.once('close', () => {
    call.abort()
    if (target !== response) target.destroy()
  })
}

/**
 * The body between the browser's connection and the call, which destroys what it reads when the answer comes early. The
 * browser's connection stays, and the rest of the body is discarded, because the browser reads the answer afterwards.
 */
function bodyOf(request: IncomingMessage): Readable | null {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  if (encoding === undefined && Number(length ?? 0) === 0) return null
  const body = new PassThrough()
  // The reader of the stream gets errors. Without a reader they do not matter.
  body.on('error', () => undefined)
  body.once('close', () => {
    request.unpipe(body)
    request.resume()
  })
  request.once('close', () => {
    if (!request.complete) body.destroy(new Error('the browser left'))
  })
  request.pipe(body)
  return body
}
