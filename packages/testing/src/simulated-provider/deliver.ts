import { type Exchange, sendHead, wait, waitForTurn } from './exchange.ts'
import type { Frame, Reply } from './wire/reply.ts'

/** Events joined in one write when the stream is not paced: enough to be cheap, little enough to stay small. */
const framesPerWrite = 64

/**
 * Sends a reply. With `paceMs` each token of it takes that long: a stream's tokens go out one write each, a
 * plain reply comes after all of them. Stops when the peer leaves.
 */
export function deliver(exchange: Exchange, reply: Reply, paceMs: number | null): void {
  if (reply.kind === 'json') {
    wait(exchange, (paceMs ?? 0) * reply.tokens, () => sendWhole(exchange, reply))
    return
  }
  sendHead(exchange, 200, streamHead)
  const frames = reply.frames[Symbol.iterator]()
  if (paceMs === null) sendBurst(exchange, frames)
  else sendPaced(exchange, frames, paceMs)
}

/** Raw head of every stream. Chunked by name: a short stream would otherwise get a content-length. */
export const streamHead = [
  'content-type',
  'text/event-stream; charset=utf-8',
  'cache-control',
  'no-cache',
  'transfer-encoding',
  'chunked',
] as const

function sendWhole(exchange: Exchange, reply: Reply & { kind: 'json' }): void {
  const bytes = Buffer.byteLength(reply.body)
  const head = ['content-type', 'application/json', 'content-length', bytes]
  if (reply.retryAfter !== undefined) head.push('retry-after', reply.retryAfter)
  sendHead(exchange, reply.status, head)
  exchange.recorder.emitted(exchange.row, reply.tokens, bytes)
  exchange.response.end(reply.body)
}

function sendBurst(exchange: Exchange, frames: Iterator<Frame>): void {
  while (!exchange.closed) {
    let text = ''
    let tokens = 0
    let step = frames.next()
    for (let count = 1; step.done !== true; count += 1) {
      text += step.value.text
      tokens += step.value.tokens
      if (count === framesPerWrite) break
      step = frames.next()
    }
    exchange.recorder.emitted(exchange.row, tokens, Buffer.byteLength(text))
    if (step.done === true) {
      exchange.response.end(text)
      return
    }
    if (exchange.response.write(text)) continue
    exchange.response.once('drain', () => sendBurst(exchange, frames))
    return
  }
}

function sendPaced(exchange: Exchange, frames: Iterator<Frame>, paceMs: number): void {
  if (exchange.closed) return
  const step = frames.next()
  if (step.done === true) {
    exchange.response.end()
    return
  }
  const next = () => sendPaced(exchange, frames, paceMs)
  if (step.value.tokens === 0) sendFrame(exchange, step.value, next)
  else waitForTurn(exchange, paceMs, () => sendFrame(exchange, step.value, next))
}

function sendFrame(exchange: Exchange, frame: Frame, next: () => void): void {
  exchange.recorder.emitted(exchange.row, frame.tokens, Buffer.byteLength(frame.text))
  if (exchange.response.write(frame.text)) next()
  else exchange.response.once('drain', next)
}
