import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { startUpstreamCall, type UpstreamFailure, type UpstreamRequest } from './upstream-call.ts'

export interface CollectedAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface CollectOptions {
  /** Maximum bytes of the body. */
  readonly maxBytes: number
  /** Aborts the call. */
  readonly signal?: AbortSignal
}

/** A call that ended without the answer that was waited for. */
export class CallFailed extends Error {
  override name = 'CallFailed'
  readonly kind: UpstreamFailure['kind'] | 'too_large'

  constructor(kind: CallFailed['kind'], cause?: unknown) {
    super(`the call failed: ${kind}`, { cause })
    this.kind = kind
  }

  /** Whether one of the clocks of the request ended it. */
  get isTimeout(): boolean {
    return this.kind === 'first_byte_timeout' || this.kind === 'idle_timeout' || this.kind === 'total_timeout'
  }
}

/**
 * Sends one request and resolves with its complete answer, whatever the status.
 *
 * @throws CallFailed when there is no complete answer
 */
export function collectAnswer(
  dispatcher: Dispatcher,
  request: UpstreamRequest,
  { maxBytes, signal }: CollectOptions,
): Promise<CollectedAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<CollectedAnswer>()
  const chunks: Buffer[] = []
  let head: Omit<CollectedAnswer, 'body'> = { status: 0, headers: {} }
  let bytes = 0
  const call = startUpstreamCall(dispatcher, request, {
    onHead(status, headers) {
      head = { status, headers }
    },
    onData(chunk) {
      bytes += chunk.length
      if (bytes <= maxBytes) chunks.push(chunk)
      else call.abort()
    },
    onEnd: () => resolve({ ...head, body: Buffer.concat(chunks) }),
    onFailure: ({ kind, cause }) => reject(new CallFailed(bytes > maxBytes ? 'too_large' : kind, cause)),
  })
  signal?.addEventListener('abort', () => call.abort(), { once: true })
  if (signal?.aborted === true) call.abort()
  return promise
}

/**
 * Sends one request and resolves with its answer, of which the first `maxBytes` are read; the rest is not waited for.
 *
 * @throws CallFailed when the answer ends before that
 */
export function collectBeginning(
  dispatcher: Dispatcher,
  request: UpstreamRequest,
  maxBytes: number,
): Promise<CollectedAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<CollectedAnswer>()
  const chunks: Buffer[] = []
  let head: Omit<CollectedAnswer, 'body'> = { status: 0, headers: {} }
  let bytes = 0
  const finish = () => resolve({ ...head, body: Buffer.concat(chunks) })
  const call = startUpstreamCall(dispatcher, request, {
    onHead(status, headers) {
      head = { status, headers }
    },
    onData(chunk) {
      chunks.push(chunk.subarray(0, maxBytes - bytes))
      bytes += chunk.length
      if (bytes < maxBytes) return
      finish()
      call.abort()
    },
    onEnd: finish,
    onFailure: ({ kind, cause }) => reject(new CallFailed(kind, cause)),
  })
  return promise
}
