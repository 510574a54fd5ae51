import type { FineTuningEvent } from '@ratchet/contracts/fine-tuning-progress'
import { publicId } from '@ratchet/contracts/public-id'
import { secondsOf } from './job-reply.ts'
import type { JobEvent } from './progress-store.ts'

export function eventReply(event: JobEvent): FineTuningEvent {
  return {
    object: 'fine_tuning.job.event',
    id: publicId('fineTuningEvent', event.id),
    created_at: secondsOf(event.createdAt),
    level: event.level,
    type: event.type,
    message: event.message,
    data: event.data,
  }
}

/** One event as a frame of a stream. */
export function eventFrame(event: JobEvent): string {
  const reply = eventReply(event)
  return `id: ${reply.id}\nevent: ${reply.object}\ndata: ${JSON.stringify(reply)}\n\n`
}

/** The last frame, with the status of the job. */
export function doneFrame(status: string): string {
  return `event: done\ndata: ${JSON.stringify({ status })}\n\n`
}

/** Keeps a silent connection open. */
export const silentFrame = ': \n\n'

export interface FollowedJob {
  /** Events after a place, the oldest first; at most some hundreds. */
  readonly readAfter: (seq: number) => Promise<readonly JobEvent[]>
  /** The status of the job if it has ended, else null. It is asked before the last events are read. */
  readonly readEnd: () => Promise<string | null>
  /** Resolves after a moment, or at once when the client has left. */
  readonly pause: () => Promise<void>
  /** Whether the client has left, or the process stops. */
  readonly isOver: () => boolean
}

/** Pauses without an event after which a silent frame is sent. */
const silentPauses = 15

/** The frames of a job's events from a place on, until the job has ended. */
export async function* followEvents(
  { readAfter, readEnd, pause, isOver }: FollowedJob,
  from: number,
): AsyncGenerator<string, void> {
  let seq = from
  // The head is sent with the first frame.
  yield silentFrame
  for (let silence = 0; !isOver(); ) {
    const end = await readEnd()
    const events = await readAfter(seq)
    for (const event of events) {
      yield eventFrame(event)
      seq = event.seq
    }
    if (events.length > 0) silence = 0
    else if (end !== null) {
      yield doneFrame(end)
      return
    } else {
      silence += 1
      if (silence % silentPauses === 0) yield silentFrame
      await pause()
    }
  }
}
