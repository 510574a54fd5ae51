import type { Behaviour } from './behaviour.ts'
import { joinFrames, streamHead, wholeType } from './deliver.ts'
import { type Exchange, sendHead, waitForTurn } from './exchange.ts'
import type { Frame, Reply } from './wire/reply.ts'
import type { Wire } from './wire/wire.ts'
import { failureOf } from './wire/wire-error.ts'

/** Number of correct tokens in a stream before the broken one or before an error event. */
const soundTokens = 3

/** The reply with its content corrupted, for behaviours about content. */
export function corrupt(reply: Reply, behaviour: Behaviour | null, wire: Wire): Reply {
  if (behaviour?.kind === 'malformed') return malform(reply)
  if (behaviour?.kind !== 'errorframe' && behaviour?.kind !== 'errorfirst') return reply
  if (reply.kind === 'json') return { ...reply, body: wire.errorBody(failureOf(500)), tokens: 0 }
  if (behaviour.kind === 'errorfirst') return { ...reply, frames: [{ data: reply.errorFrame, tokens: 0 }] }
  return { ...reply, frames: withErrorFrame(reply.frames, reply.errorFrame) }
}

/**
 * Sends the reply's first `bytes` bytes and then destroys the connection (`cut`) or sends nothing more (`stall`). A
 * shorter reply arrives completely.
 */
export function deliverPart(
  exchange: Exchange,
  reply: Reply,
  behaviour: { kind: 'cut' | 'stall'; bytes: number },
): void {
  const frames = reply.kind === 'json' ? [{ data: reply.body, tokens: reply.tokens }] : Array.from(reply.frames)
  const whole = Buffer.from(joinFrames(frames))
  if (reply.kind === 'stream') sendHead(exchange, 200, streamHead(reply))
  else sendHead(exchange, reply.status, ['content-type', wholeType(reply), 'content-length', whole.length])
  const part = whole.subarray(0, behaviour.bytes)
  exchange.recorder.emitted(exchange.row, tokensWithin(frames, behaviour.bytes), part.length)
  if (part.length === whole.length) {
    exchange.response.end(whole)
    return
  }
  exchange.response.flushHeaders()
  if (part.length > 0) exchange.response.write(part)
  // Writes are corked until the end of this turn. Cutting in the next one lets them be sent first.
  if (behaviour.kind === 'cut') waitForTurn(exchange, 0, () => hangUp(exchange))
}

/** Ends the connection without a further byte. */
export function hangUp(exchange: Exchange): void {
  exchange.cutByProvider = true
  exchange.response.destroy()
}

/** Tokens of the frames that lie completely within the first `bytes` bytes. */
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

/** Corrupts one event; the stream continues normally. */
function* withBrokenFrame(frames: Iterable<Frame>): Generator<Frame> {
  let sent = 0
  for (const frame of frames) {
    sent += frame.tokens
    const broken = sent === soundTokens && frame.tokens === 1
    yield broken ? { data: brokenFrame(frame.data), tokens: 1 } : frame
  }
}

/** A text is cut off inside its JSON. Bytes keep their length, so that only the checksum shows the damage. */
function brokenFrame(data: string | Buffer): string | Buffer {
  if (typeof data === 'string') return `${data.slice(0, data.length / 2)}\n\n`
  const middle = Math.floor(data.length / 2)
  return Buffer.concat([data.subarray(0, middle), Buffer.from([~data.readUInt8(middle)]), data.subarray(middle + 1)])
}
