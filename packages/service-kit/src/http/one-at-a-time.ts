import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Requests that wait on one connection before it is read no further. */
const maxWaiting = 8

export interface WaitingRequests {
  /** Calls the listener when the answer before it has ended, and never when the connection ends before. */
  add(before: ServerResponse, request: IncomingMessage, response: ServerResponse): void
}

/**
 * Requests that a client sent before it had the answer to an earlier one. Node reads all that are in a chunk, thousands if
 * they are short. They are handled one after the other, and each in a turn of the event loop of its own.
 */
export function createWaitingRequests(listener: RequestListener): WaitingRequests {
  const counts = new WeakMap<Socket, number>()
  const change = (socket: Socket, by: number): number => {
    const count = (counts.get(socket) ?? 0) + by
    counts.set(socket, count)
    return count
  }
  const start = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request
    if (change(socket, -1) === 0) socket.resume()
    if (socket.writable) listener(request, response)
  }
  return {
    add(before, request, response) {
      if (change(request.socket, 1) >= maxWaiting) request.socket.pause()
      before.once('close', () => setImmediate(start, request, response))
    },
  }
}

/** Whether the next request on its connection has to wait. */
export function isUnanswered(response: ServerResponse | null | undefined): response is ServerResponse {
  return response !== null && response !== undefined && !response.writableFinished && !response.closed
}
