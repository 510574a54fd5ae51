import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { createTurns } from './turns.ts'

/** Four separate timeouts in milliseconds. A single deadline would cut off long streams that are healthy. */
export interface CallClocks {
  /** From the request to the head of the answer. */
  readonly firstByteMs: number
  /** Maximum silence inside the body. It does not run while the reader has paused. */
  readonly idleMs: number
  /** Maximum duration of the whole call. */
  readonly totalMs: number
}

export interface UpstreamRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path and query at the dispatcher's origin. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** A stream is destroyed when the call ends before it was read. */
  readonly body: Buffer | Readable | null
  readonly clocks: CallClocks
  /**
   * Maximum bytes that are reported at once; absent: all that arrived. The next piece waits for its turn, so that what takes
   * long to read does not delay others.
   */
  readonly pieceBytes?: number | undefined
}

export type UpstreamFailureKind =
  | 'connect' // nothing was sent
  | 'first_byte_timeout'
  | 'idle_timeout'
  | 'total_timeout'
  | 'cut' // the connection broke, before or inside the answer
  | 'aborted' // aborted by the caller

export interface UpstreamFailure {
  readonly kind: UpstreamFailureKind
  readonly cause: unknown
}

/** Receives the events of one call. After exactly one of `onEnd` and `onFailure` there are no further events. */
export interface UpstreamListener {
  onHead(status: number, headers: IncomingHttpHeaders): void
  onData(chunk: Buffer): void
  onEnd(): void
  onFailure(failure: UpstreamFailure): void
}

export interface UpstreamCall {
  /** Stops the call and closes its connection. The listener gets the failure `aborted`, unless the call had ended. */
  abort(): void
  /** Stops reading the upstream and the idle timeout until `resume`. */
  pause(): void
  resume(): void
}

/**
 * Sends one request and reports its answer by callbacks, chunk by chunk, without copying. The connect timeout belongs
 * to the dispatcher ({@link createUpstream}).
 */
export function startUpstreamCall(
  dispatcher: Dispatcher,
  { method, path, headers, body, clocks, pieceBytes }: UpstreamRequest,
  listener: UpstreamListener,
): UpstreamCall {
  const call = new DispatchedCall(listener, { clocks, pieceBytes })
  dispatcher.dispatch({ method, path, headers, body, headersTimeout: 0, bodyTimeout: 0 }, call)
  return call
}

/** Of all calls of the process, because they share its thread. */
const turns = createTurns()
/** Providers send a hint or two before their answer. */
const maxInterimHeads = 32

class DispatchedCall implements Dispatcher.DispatchHandler, UpstreamCall {
  readonly #listener: UpstreamListener
  readonly #clocks: CallClocks
  readonly #total: NodeJS.Timeout
  #silence: NodeJS.Timeout
  #controller: Dispatcher.DispatchController | undefined
  #stoppedBy: UpstreamFailureKind | undefined
  #sent = false
  #interimHeads = 0
  #paused = false
  #over = false
  readonly #pieceBytes: number
  /** What arrived and waits for its turn. The connection is paused meanwhile. */
  #rest: Buffer | null = null
  readonly #reportNext = () => this.#reportPiece()

  constructor(listener: UpstreamListener, { clocks, pieceBytes }: Pick<UpstreamRequest, 'clocks' | 'pieceBytes'>) {
    this.#listener = listener
    this.#clocks = clocks
    this.#pieceBytes = pieceBytes ?? Number.POSITIVE_INFINITY
    this.#total = setTimeout(() => this.#stop('total_timeout'), clocks.totalMs)
    this.#silence = setTimeout(() => this.#stop('first_byte_timeout'), clocks.firstByteMs)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    this.#sent = true
    if (this.#stoppedBy !== undefined) controller.abort(new Error(this.#stoppedBy))
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) {
      this.#countInterim()
      return
    }
    clearTimeout(this.#silence)
    this.#silence = setTimeout(() => this.#fellSilent(), this.#clocks.idleMs)
    this.#listener.onHead(status, headers)
  }

  /** They do not end the wait for the first byte, and a provider that sends nothing else must not keep this process busy. */
  #countInterim(): void {
    this.#interimHeads += 1
    if (this.#interimHeads > maxInterimHeads) this.#stop('cut')
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#stoppedBy !== undefined) return
    this.#silence.refresh()
    if (this.#rest === null && chunk.length <= this.#pieceBytes) this.#listener.onData(chunk)
    else this.#reportInPieces(chunk)
  }

  #reportInPieces(chunk: Buffer): void {
    this.#controller?.pause()
    const isReporting = this.#rest !== null
    this.#rest = this.#rest === null ? chunk : Buffer.concat([this.#rest, chunk])
    if (!isReporting) this.#reportPiece()
  }

  #reportPiece(): void {
    const rest = this.#rest
    if (rest === null || this.#paused || this.#over) return
    this.#rest = rest.length > this.#pieceBytes ? rest.subarray(this.#pieceBytes) : null
    this.#report(rest.subarray(0, this.#pieceBytes))
    if (!this.#paused) this.#continue()
  }

  #report(piece: Buffer): void {
    try {
      this.#listener.onData(piece)
    } catch (cause) {
      // As undici does with what is thrown while it reports.
      this.#controller?.abort(cause instanceof Error ? cause : new Error('not read', { cause }))
      this.#fail('cut', cause)
    }
  }

  /** Lets the next piece wait for its turn, or reads on. */
  #continue(): void {
    if (this.#over) return
    if (this.#rest === null) this.#controller?.resume()
    else turns.add(this.#reportNext)
  }

  /** Nothing more arrives: there is no further turn to wait for. */
  #reportRest(): void {
    const rest = this.#rest
    this.#rest = null
    if (rest !== null && !this.#over && this.#stoppedBy === undefined) this.#report(rest)
  }

  onResponseEnd(): void {
    this.#reportRest()
    if (this.#finish()) this.#listener.onEnd()
  }

  onResponseError(_controller: Dispatcher.DispatchController, cause: Error): void {
    this.#reportRest()
    this.#fail(this.#stoppedBy ?? (this.#sent ? 'cut' : 'connect'), cause)
  }

  abort(): void {
    this.#stop('aborted')
  }

  pause(): void {
    this.#paused = true
    this.#controller?.pause()
  }

  resume(): void {
    if (!this.#paused || this.#over) return
    this.#paused = false
    this.#silence.refresh()
    this.#continue()
  }

  #fellSilent(): void {
    if (this.#paused || this.#rest !== null) return void this.#silence.refresh()
    this.#stop('idle_timeout')
  }

  #stop(kind: UpstreamFailureKind): void {
    if (this.#over || this.#stoppedBy !== undefined) return
    this.#stoppedBy = kind
    // Before a connection exists there is nothing to abort; undici calls back when there is.
    this.#controller?.abort(new Error(kind))
    this.#fail(kind, undefined)
  }

  #fail(kind: UpstreamFailureKind, cause: unknown): void {
    if (this.#finish()) this.#listener.onFailure({ kind, cause })
  }

  #finish(): boolean {
    if (this.#over) return false
    this.#over = true
    clearTimeout(this.#total)
    clearTimeout(this.#silence)
    turns.delete(this.#reportNext)
    return true
  }
}
