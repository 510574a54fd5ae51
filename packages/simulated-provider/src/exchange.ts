import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from './clock.ts'
import type { Recorder } from './control/recorder.ts'
import { idOfRow } from './control/report.ts'
import type { Row } from './control/row.ts'

/** One inference request that is being answered. */
export interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  row: Row
  recorder: Recorder
  clock: Clock
  /** True when the connection is closed and nothing more can be sent. */
  closed: boolean
  /** True when the provider itself ends the connection early, so that this does not count as the client leaving. */
  cutByProvider: boolean
  /** True when the reply pauses after its last token. */
  endsLate: boolean
  /** Stops the current wait of the exchange. */
  cancelWait: (() => void) | null
}

/** Begins the record of a request, and completes it when the connection or the reply ends. */
export function openExchange(
  shared: { recorder: Recorder; clock: Clock },
  request: IncomingMessage,
  response: ServerResponse,
): Exchange {
  const { recorder, clock } = shared
  const row = recorder.begin({ path: request.url ?? '/', rawHeaders: request.rawHeaders, atMs: clock.now() })
  const ends = { closed: false, cutByProvider: false, endsLate: false, cancelWait: null }
  const exchange: Exchange = { request, response, row, recorder, clock, ...ends }
  response.on('close', () => closeExchange(exchange))
  return exchange
}

/** Runs `next` after `ms` milliseconds unless the client disconnects first; at once for 0 milliseconds. */
export function wait(exchange: Exchange, ms: number, next: () => void): void {
  if (ms <= 0) next()
  else waitForTurn(exchange, ms, next)
}

/** As `wait`, but lets the event loop turn even for 0 milliseconds. */
export function waitForTurn(exchange: Exchange, ms: number, next: () => void): void {
  exchange.cancelWait = exchange.clock.after(ms, () => {
    exchange.cancelWait = null
    next()
  })
}

/** Sends the head of a reply, with alternating raw names and values, and the row's id as `x-request-id`. */
export function sendHead(exchange: Exchange, status: number, headers: readonly (string | number)[]): void {
  exchange.row.status = status
  exchange.response.writeHead(status, [...headers, 'x-request-id', idOfRow(exchange.row)] as string[])
}

function closeExchange(exchange: Exchange): void {
  const { response, recorder, row, clock } = exchange
  exchange.closed = true
  exchange.cancelWait?.()
  if (exchange.cutByProvider) return
  if (response.writableFinished) recorder.completed(row)
  else recorder.peerLeft(row, clock.now())
}
