import type { IncomingMessage } from 'node:http'
import { clientNetwork } from '@ratchet/service-kit/http/client-network'

/** The network of the browser, by the address that the edge wrote, or by that of the connection. */
export function clientAddress({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): string {
  const forwarded = headers['x-forwarded-for']?.toString().trim() ?? ''
  return clientNetwork(forwarded) ?? clientNetwork(socket.remoteAddress ?? '') ?? 'unknown'
}
