import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { ArrivedBytes } from './arrived-bytes.ts'
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
  /** Stops the reports and the idle timeout until `resume`. At most 64 KB and the last chunk are read meanwhile. */
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
  /** What arrived and waits for its turn, or for the reader. */
  readonly #arrived = new ArrivedBytes()
  /** True while undici is paused, because enough has arrived. */
  #isFull = false
  /** How the answer ended, when a part of it still waits. */
  #ending: (() => void) | null = null
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
    if (this.#over || this.#stoppedBy !== undefined) return
    this.#silence.refresh()
    if (this.#arrived.isEmpty && !this.#paused && chunk.length <= this.#pieceBytes) this.#listener.onData(chunk)
    else this.#keep(chunk)
  }

  #keep(chunk: Buffer): void {
    const isFirst = this.#arrived.isEmpty
    this.#arrived.add(chunk)
    if (!this.#isFull && this.#arrived.isFull) {
      this.#isFull = true
      this.#controller?.pause()
    }
    if (isFirst) this.#reportPiece()
  }

  #reportPiece(): void {
    if (this.#paused || this.#over) return
    const piece = this.#arrived.take(this.#pieceBytes)
    if (piece !== null) this.#report(piece)
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
    if (!this.#arrived.isEmpty) turns.add(this.#reportNext)
    else if (this.#ending !== null) this.#ending()
    else if (this.#isFull) this.#readOn()
  }

  #readOn(): void {
    this.#isFull = false
    this.#controller?.resume()
  }

  onResponseEnd(): void {
    this.#endWith(() => {
      if (this.#finish()) this.#listener.onEnd()
    })
  }

  onResponseError(_controller: Dispatcher.DispatchController, cause: Error): void {
    const kind = this.#stoppedBy ?? (this.#sent ? 'cut' : 'connect')
    this.#endWith(() => this.#fail(kind, cause))
  }

  /** What arrived before the end is reported before it. */
  #endWith(ending: () => void): void {
    if (this.#arrived.isEmpty || this.#over || this.#stoppedBy !== undefined) ending()
    else this.#ending = ending
  }

  abort(): void {
    this.#stop('aborted')
  }

  pause(): void {
    this.#paused = true
  }

  resume(): void {
    if (!this.#paused || this.#over) return
    this.#paused = false
    this.#silence.refresh()
    this.#continue()
  }

  #fellSilent(): void {
    if (this.#paused || !this.#arrived.isEmpty) return void this.#silence.refresh()
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
    this.#arrived.clear()
    clearTimeout(this.#total)
    clearTimeout(this.#silence)
    turns.delete(this.#reportNext)
    return true
  }
}
