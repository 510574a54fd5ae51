import type { Behaviour } from './behaviour.ts'
import { joinFrames, streamHead } from './deliver.ts'
import { type Exchange, sendHead, waitForTurn } from './exchange.ts'
import type { Frame, Reply } from './wire/reply.ts'
import type { Wire } from './wire/wire.ts'
import { failureOf } from './wire/wire-error.ts'

/** Which token of a stream comes broken, or is the last before an error event. */
const soundTokens = 3

/** The reply with its content spoiled, where the behaviour is about content. */
export function spoil(reply: Reply, behaviour: Behaviour | null, wire: Wire): Reply {
  if (behaviour?.kind === 'malformed') return malform(reply)
  if (behaviour?.kind !== 'errorframe' && behaviour?.kind !== 'errorfirst') return reply
  if (reply.kind === 'json') return { ...reply, body: wire.errorBody(failureOf(500)), tokens: 0 }
  if (behaviour.kind === 'errorfirst') return { ...reply, frames: [{ data: reply.errorFrame, tokens: 0 }] }
  return { ...reply, frames: withErrorFrame(reply.frames, reply.errorFrame) }
}

/**
 * Sends the reply's first `bytes` bytes and then destroys the connection (`cut`) or says nothing more (`stall`).
 * A reply that is not longer than that arrives whole.
 */
export function deliverPart(
  exchange: Exchange,
  reply: Reply,
  behaviour: { kind: 'cut' | 'stall'; bytes: number },
): void {
  const frames = reply.kind === 'json' ? [{ data: reply.body, tokens: reply.tokens }] : Array.from(reply.frames)
  const whole = Buffer.from(joinFrames(frames))
  const json = ['content-type', 'application/json', 'content-length', whole.length]
  sendHead(exchange, reply.kind === 'json' ? reply.status : 200, reply.kind === 'json' ? json : streamHead(reply))
  const part = whole.subarray(0, behaviour.bytes)
  exchange.recorder.emitted(exchange.row, tokensWithin(frames, behaviour.bytes), part.length)
  if (part.length === whole.length) {
    exchange.response.end(whole)
    return
  }
  exchange.response.flushHeaders()
  if (part.length > 0) exchange.response.write(part)
  // Writes are corked until the end of this turn: cutting in the next one lets them leave first.
  if (behaviour.kind === 'cut') waitForTurn(exchange, 0, () => hangUp(exchange))
}

/** Ends the connection without a further byte. */
export function hangUp(exchange: Exchange): void {
  exchange.cutByProvider = true
  exchange.response.destroy()
}

/** Tokens of the frames that lie whole within the first `bytes` bytes. */
function tokensWithin(frames: readonly Frame[], bytes: number): number {
  let sent = 0
  let tokens = 0
  for (const frame of frames) {
    sent += Buffer.byteLength(frame.data)
    if (sent > bytes) break
    tokens += frame.tokens
  }
  return tokens
}

function malform(reply: Reply): Reply {
  if (reply.kind === 'json') return { ...reply, body: reply.body.slice(0, Math.ceil(reply.body.length / 2)) }
  return { ...reply, frames: withBrokenFrame(reply.frames) }
}

function* withErrorFrame(frames: Iterable<Frame>, errorFrame: string | Buffer): Generator<Frame> {
  let sent = 0
  for (const frame of frames) {
    const answerEnds = sent > 0 && frame.tokens === 0
    if (sent === soundTokens || answerEnds) break
    sent += frame.tokens
    yield frame
  }
  yield { data: errorFrame, tokens: 0 }
}

/** Breaks one event; the stream goes on as if nothing had happened. */
function* withBrokenFrame(frames: Iterable<Frame>): Generator<Frame> {
  let sent = 0
  for (const frame of frames) {
    sent += frame.tokens
    const broken = sent === soundTokens && frame.tokens === 1
    yield broken ? { data: brokenFrame(frame.data), tokens: 1 } : frame
  }
}

/** Text breaks off in the middle of its JSON; bytes keep their length, so that only a checksum tells. */
function brokenFrame(data: string | Buffer): string | Buffer {
  if (typeof data === 'string') return `${data.slice(0, data.length / 2)}\n\n`
  const middle = Math.floor(data.length / 2)
  return Buffer.concat([data.subarray(0, middle), Buffer.from([~data.readUInt8(middle)]), data.subarray(middle + 1)])
}
