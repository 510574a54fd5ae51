import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Refusals of requests without a valid key on one connection. Proxies reuse theirs for many clients, and open another. */
export const maxRefusedPerConnection = 50

/** @returns a function that counts such a refusal before it is answered; at too many the answer closes the connection */
export function limitRefusedConnections(): (request: IncomingMessage, response: ServerResponse) => void {
  const counts = new WeakMap<Socket, number>()
  return ({ socket }, response) => {
    const count = (counts.get(socket) ?? 0) + 1
    counts.set(socket, count)
    if (count >= maxRefusedPerConnection) response.shouldKeepAlive = false
  }
}
