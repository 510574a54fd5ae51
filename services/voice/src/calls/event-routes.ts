import { listCallEvents } from '@ratchet/contracts/voice/calls'
import { mountRaw } from '@ratchet/service-kit/http/mount'
import { type Waiters, waitersName } from '@ratchet/service-kit/http/prefer-wait'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { writePieces } from '@ratchet/service-kit/http/write-pieces'
import { pauseUnlessAborted } from '@ratchet/service-kit/timing/pause-unless-aborted'
import type { Request, Response, Router } from 'express'
import { isOver, type StoredCall } from './call.ts'
import { eventReply, followCall } from './call-event-stream.ts'
import type { CallStore } from './call-store.ts'
import { requireCall } from './require-call.ts'

export interface CallEventRouteDeps {
  readonly calls: CallStore
}

const eventsAtOnce = 200
/** Between two reads of a stream, milliseconds. */
const followEveryMs = 250

/** Events come out of the table, whoever writes them: a stream goes on at any process of the service. */
export function callEventRoutes(router: Router, { calls }: CallEventRouteDeps): void {
  mountRaw(router, listCallEvents, async ({ params, query, identity, request }, response) => {
    const call = await requireCall(calls, identity, params.id)
    if (request.get('accept')?.includes('text/event-stream') === true) {
      const last = Number(request.get('last-event-id') ?? query.after)
      return stream(calls, { call, from: Number.isSafeInteger(last) && last >= 0 ? last : 0, request, response })
    }
    const found = await calls.eventsAfter(call, query.after, query.limit + 1)
    const data = found.slice(0, query.limit).map(eventReply)
    const reply = { object: 'list', data, has_more: found.length > query.limit }
    return response.json(listCallEvents.reply.parse(reply))
  })
}

interface Streaming {
  readonly call: StoredCall
  readonly from: number
  readonly request: Request
  readonly response: Response
}

async function stream(calls: CallStore, { call, from, request, response }: Streaming): Promise<void> {
  const waiters = request.app.locals[waitersName] as Waiters
  const leave = waiters.enter(call.workspaceId)
  if (leave === null) {
    const message = 'Too many streams of this workspace are open. Read the list instead, or close some.'
    throw new ServiceError('rate_limit_exceeded', message, { retryAfterSeconds: 5 })
  }
  const left = new AbortController()
  response.once('close', () => left.abort())
  const signal = AbortSignal.any([left.signal, waiters.stopping])
  response.set({ 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
  const frames = followCall(
    {
      readAfter: (seq) => calls.eventsAfter(call, seq, eventsAtOnce),
      async hasEnded() {
        const present = await calls.get(call)
        return present === null || isOver(present)
      },
      pause: () => pauseUnlessAborted(followEveryMs, signal),
      isOver: () => signal.aborted,
    },
    from,
  )
  try {
    await writePieces(response, 'text/event-stream; charset=utf-8', frames)
  } finally {
    leave()
  }
}
