import { setTimeout as sleep } from 'node:timers/promises'
import { mebibyte } from '@ratchet/contracts/byte-sizes'
import type { CapturedExchange } from '@ratchet/contracts/captured-exchange'
import { createGroupCommit } from '@ratchet/service-kit/timing/group-commit'
import { createCircuitBreaker } from '../circuit-breaker.ts'
import type { Capture, CaptureEvent, CaptureTransport } from './capture.ts'
import { type CaptureSink, weightOf } from './capture-sink.ts'

export interface CaptureOptions {
  /** The first transport. */
  readonly stream: CaptureSink
  /** Gets the exchanges that the stream does not take. */
  readonly direct: CaptureSink
  readonly onEvent: (event: CaptureEvent) => void
  readonly now: () => Date
  /** Bytes that may wait. Further exchanges are dropped. */
  readonly maxBytes?: number
  /** Milliseconds between two attempts to deliver what no transport took. */
  readonly retryMs?: number
  /** Milliseconds that a stop may take. */
  readonly stopMs?: number
}

const maxPerBatch = 50
/** Milliseconds for which exchanges are gathered: a batch costs Redis and the worker little more than one exchange. */
const gatherMs = 25
/** Milliseconds between two attempts while the process stops. */
const lastTriesMs = 100

type TryTransport = (exchanges: readonly CapturedExchange[]) => Promise<readonly CapturedExchange[]>

/**
 * Delivers the exchanges of some milliseconds in one call: to the stream, else to the logging service, else
 * later, up to the limit of waiting bytes.
 */
export function createCapture(options: CaptureOptions): Capture {
  const { onEvent, maxBytes = 32 * mebibyte, retryMs = 1_000, stopMs = 5_000 } = options
  const transports = [tryTransport('stream', options), tryTransport('direct', options)]
  let waitingBytes = 0
  let waiting = 0
  let untaken: CapturedExchange[] = []
  let timer: NodeJS.Timeout | undefined
  const deliver = async (exchanges: readonly CapturedExchange[]) => {
    let left = exchanges
    for (const tryNext of transports) if (left.length > 0) left = await tryNext(left)
    untaken.push(...left)
    if (left.length > 0) timer ??= setTimeout(tryAgain, retryMs).unref()
    waiting -= exchanges.length - left.length
    waitingBytes -= weightOfAll(exchanges) - weightOfAll(left)
    return exchanges
  }
  const batch = createGroupCommit({
    run: deliver,
    maxBatch: maxPerBatch,
    gatherMs,
    maxInFlight: 2,
    maxQueued: Number.POSITIVE_INFINITY,
  })
  const tryAgain = () => {
    clearTimeout(timer)
    timer = undefined
    for (const exchange of untaken.splice(0)) void batch.add(exchange)
  }
  return {
    add(exchange) {
      const weight = weightOf(exchange)
      if (waitingBytes + weight > maxBytes) return onEvent({ kind: 'dropped', reason: 'full', count: 1 })
      waitingBytes += weight
      waiting += 1
      void batch.add(exchange)
    },
    skipTooLarge: () => onEvent({ kind: 'too_large' }),
    async stop() {
      const late = performance.now() + stopMs
      const restMs = () => Math.max(0, late - performance.now())
      while (waiting > 0 && restMs() > 0) {
        tryAgain()
        await Promise.race([batch.idle(), sleep(restMs())])
        if (waiting > 0) await sleep(Math.min(lastTriesMs, restMs()))
      }
      if (waiting > 0) onEvent({ kind: 'dropped', reason: 'stopped', count: waiting })
      untaken = []
      clearTimeout(timer)
    },
  }
}

/** A transport that is not used for a while after it fails. Returns what it did not take. */
function tryTransport(transport: CaptureTransport, options: CaptureOptions): TryTransport {
  const { onEvent, now } = options
  const breaker = createCircuitBreaker({
    failures: 2,
    now,
    onOpen: (cause) => onEvent({ kind: 'unavailable', transport, cause }),
    onClose: () => onEvent({ kind: 'recovered', transport }),
  })
  return async (exchanges) => {
    if (!breaker.mayTry()) return exchanges
    const { left, cause } = await options[transport](exchanges)
    if (left.length === 0) breaker.succeeded()
    else breaker.failed(cause)
    const count = exchanges.length - left.length
    if (count > 0) onEvent({ kind: 'delivered', transport, count })
    return left
  }
}

function weightOfAll(exchanges: readonly CapturedExchange[]): number {
  return exchanges.reduce((sum, exchange) => sum + weightOf(exchange), 0)
}
