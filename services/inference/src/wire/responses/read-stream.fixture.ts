import { createSseReader } from '@ratchet/service-kit/sse/read-events'
import { ResponseStream } from 'openai/lib/responses/ResponseStream'
import type { Response, ResponseStreamEvent } from 'openai/resources/responses/responses'
import type { FrameAction, StreamTracker } from '../../surfaces/surface.ts'

/** The JSON of every event of a stream, after a check that its type is that of its frame. */
export function eventsIn(stream: string | Buffer): Record<string, unknown>[] {
  const reader = createSseReader({ maxEventBytes: 1_000_000 })
  const events = reader.push(Buffer.from(stream))
  if (reader.end() !== null) throw new Error('the last frame is not whole')
  return events.map(({ data, event }) => {
    const json = JSON.parse(String(data))
    if (json.type !== event) throw new Error(`an event of type ${json.type} in a frame of type ${event}`)
    return json
  })
}

/** The response that the OpenAI SDK assembles from a stream, and every event that it gave its caller. */
export async function readWithSdk(stream: string): Promise<{ response: Response; seen: ResponseStreamEvent[] }> {
  const lines = eventsIn(stream).map((event) => `${JSON.stringify(event)}\n`)
  const readable = new ReadableStream({
    start(controller) {
      for (const line of lines) controller.enqueue(new TextEncoder().encode(line))
      controller.close()
    },
  })
  const runner = ResponseStream.fromReadableStream(readable)
  const seen: ResponseStreamEvent[] = []
  for await (const event of runner) seen.push(event as ResponseStreamEvent)
  return { response: await runner.finalResponse(), seen }
}

/** Feeds a stream or its pieces to a tracker. Returns its actions and the frames that a client would get. */
export function track(tracker: StreamTracker, stream: string | Buffer | readonly Buffer[]) {
  const reader = createSseReader({ maxEventBytes: 1_000_000 })
  const verdicts: FrameAction[] = []
  let sent = ''
  const pieces = Array.isArray(stream) ? (stream as readonly Buffer[]) : [Buffer.from(stream as string | Buffer)]
  const events = pieces.flatMap((piece) => [...reader.push(piece)])
  const rest = reader.end()
  for (const event of rest === null ? events : [...events, rest]) {
    const verdict = tracker.accept(event)
    verdicts.push(verdict)
    if (verdict === 'forward') sent += event.raw
    if (typeof verdict === 'object') sent += verdict
  }
  return { verdicts, sent }
}
