import { connect, type Socket } from 'node:net'

/**
 * A connection of bytes to a service of the fleet, for protocols that are passed on as they are.
 *
 * @param origin scheme, host and port. Operators set it, never clients.
 */
export function openConnection(origin: string): Socket {
  const { hostname, port, protocol } = new URL(origin)
  const usualPort = protocol === 'https:' ? '443' : '80'
  const socket = connect({ host: hostname, port: Number(port === '' ? usualPort : port) })
  socket.setNoDelay(true)
  return socket
}
