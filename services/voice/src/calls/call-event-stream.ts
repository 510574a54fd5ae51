import type { CallEvent } from '@ratchet/contracts/voice/call-events'
import type { StoredCallEvent } from './call.ts'

export function eventReply({ seq, kind, atMs, body }: StoredCallEvent): CallEvent {
  return { object: 'call.event', seq, kind, at_ms: atMs, data: { ...body } }
}

function eventFrame(event: StoredCallEvent): string {
  return `id: ${event.seq}\nevent: ${event.kind}\ndata: ${JSON.stringify(eventReply(event))}\n\n`
}

/** Keeps a silent connection open. */
const silentFrame = ': \n\n'
/** Pauses without an event after which it is sent. */
const silentPauses = 20

export interface FollowedCall {
  /** Events after a place, the oldest first. */
  readonly readAfter: (seq: number) => Promise<readonly StoredCallEvent[]>
  /** Whether the call has ended. It is asked before the last events are read. */
  readonly hasEnded: () => Promise<boolean>
  /** Resolves after a moment, or at once when the client has left. */
  readonly pause: () => Promise<void>
  /** Whether the client has left, or the process stops. */
  readonly isOver: () => boolean
}

/** The frames of a call's events from a place on, until the call has ended. */
export async function* followCall(
  { readAfter, hasEnded, pause, isOver }: FollowedCall,
  from: number,
): AsyncGenerator<string, void> {
  let seq = from
  // The head is sent with the first frame.
  yield silentFrame
  for (let silence = 0; !isOver(); ) {
    const isLast = await hasEnded()
    const events = await readAfter(seq)
    for (const event of events) {
      yield eventFrame(event)
      seq = event.seq
    }
    if (events.length > 0) silence = 0
    else if (isLast) return
    else {
      silence += 1
      if (silence % silentPauses === 0) yield silentFrame
      await pause()
    }
  }
}
