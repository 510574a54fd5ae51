import { type Exchange, sendHead, wait, waitForTurn } from './exchange.ts'
import type { Frame, RawHeaders, Reply } from './wire/reply.ts'

/** Number of events in one write when the stream is not paced: enough to be fast, and still a small write. */
const framesPerWrite = 64
/** Time between the last token and the end of a reply that ends late, milliseconds. */
const lateMs = 1_500

/**
 * Sends a reply. With `paceMs` each token takes that long: a stream's tokens are written one by one, an unstreamed
 * reply is sent after all of them. Stops when the client disconnects.
 */
export function deliver(exchange: Exchange, reply: Reply, paceMs: number | null): void {
  if (reply.kind === 'json') {
    wait(exchange, exchange.endsLate ? lateMs : (paceMs ?? 0) * reply.tokens, () => sendWhole(exchange, reply))
    return
  }
  sendHead(exchange, 200, streamHead(reply))
  exchange.response.flushHeaders()
  const frames = reply.frames[Symbol.iterator]()
  if (exchange.endsLate) sendLate(exchange, Array.from(reply.frames))
  else if (paceMs === null) sendBurst(exchange, frames)
  else sendPaced(exchange, frames, paceMs)
}

/** Raw head of a stream. It names the chunked encoding, because a short stream would otherwise get a content-length. */
export function streamHead({ contentType }: Reply & { kind: 'stream' }): RawHeaders {
  const type = contentType ?? 'text/event-stream; charset=utf-8'
  return ['content-type', type, 'cache-control', 'no-cache', 'transfer-encoding', 'chunked']
}

/** Concatenates frames. */
export function joinFrames(frames: readonly Frame[]): string | Buffer {
  const parts = frames.map((frame) => frame.data)
  return typeof parts[0] === 'object' ? Buffer.concat(parts.map((part) => Buffer.from(part))) : parts.join('')
}

/** The media type of a reply that is sent in one piece. */
export function wholeType({ contentType }: Reply & { kind: 'json' }): string {
  return contentType ?? 'application/json'
}

function sendWhole(exchange: Exchange, reply: Reply & { kind: 'json' }): void {
  const bytes = Buffer.byteLength(reply.body)
  const head = ['content-type', wholeType(reply), 'content-length', bytes, ...(reply.headers ?? [])]
  sendHead(exchange, reply.status, head)
  exchange.recorder.emitted(exchange.row, reply.tokens, bytes)
  exchange.response.end(reply.body)
}

/**
 * Sends as fast as the client reads, with a turn of the event loop between writes, so that a stream of many megabytes
 * does not block the rest of the process.
 */
function sendBurst(exchange: Exchange, frames: Iterator<Frame>): void {
  if (exchange.closed) return
  const burst: Frame[] = []
  let tokens = 0
  let step = frames.next()
  while (step.done !== true) {
    burst.push(step.value)
    tokens += step.value.tokens
    if (burst.length === framesPerWrite) break
    step = frames.next()
  }
  const data = joinFrames(burst)
  exchange.recorder.emitted(exchange.row, tokens, Buffer.byteLength(data))
  if (step.done === true) {
    exchange.response.end(data)
    return
  }
  const next = () => sendBurst(exchange, frames)
  if (exchange.response.write(data)) setImmediate(next)
  else exchange.response.once('drain', next)
}

function sendLate(exchange: Exchange, frames: readonly Frame[]): void {
  const end = frames.findLastIndex(({ tokens }) => tokens > 0) + 1
  const emit = (part: readonly Frame[]) => {
    const data = joinFrames(part)
    const tokens = part.reduce((sum, frame) => sum + frame.tokens, 0)
    exchange.recorder.emitted(exchange.row, tokens, Buffer.byteLength(data))
    return data
  }
  exchange.response.write(emit(frames.slice(0, end)))
  waitForTurn(exchange, lateMs, () => exchange.response.end(emit(frames.slice(end))))
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
  exchange.recorder.emitted(exchange.row, frame.tokens, Buffer.byteLength(frame.data))
  if (exchange.response.write(frame.data)) next()
  else exchange.response.once('drain', next)
}
