import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { CommaList } from '@ratchet/service-kit/process/comma-list'
import proxyAddr from 'proxy-addr'

/** Who sent a request: the address of a client, not of a proxy that the operator trusts. */
export type ClientAddressOf = (request: IncomingMessage) => string

/** Addresses and networks, comma-separated: `10.0.0.0/8, 2001:db8::1`. */
export const TrustedProxies = CommaList.refine(
  areNetworks,
  'must be addresses and networks, comma-separated: 10.0.0.0/8,2001:db8::1',
)

/**
 * The client is who opened the connection. Only if that is a trusted proxy, it is the last address in `X-Forwarded-For` that
 * is no trusted proxy: what stands before it was written by the client, who may lie. What is no address counts as
 * none, and then the proxy is the client.
 */
export function clientAddressBehind(proxies: readonly string[]): ClientAddressOf {
  if (proxies.length === 0) return connectedAddress
  const isTrusted = proxyAddr.compile([...proxies])
  return (request) => {
    const connected = connectedAddress(request)
    if (connected === '') return ''
    const client = proxyAddr(withoutPorts(request) as IncomingMessage, isTrusted)
    return isIP(client) === 0 ? connected : client
  }
}

const addressAndPort = /^\[([0-9a-f:.]+)\](?::\d+)?$|^(\d+\.\d+\.\d+\.\d+):\d+$/i

/** Some proxies write `1.2.3.4:567` or `[2001:db8::1]:567`. */
function withoutPorts(request: IncomingMessage): Pick<IncomingMessage, 'headers' | 'socket'> {
  const forwarded = request.headers['x-forwarded-for']
  if (forwarded === undefined) return request
  const addresses = forwarded
    .toString()
    .split(',')
    .map((part) => {
      const [, inBrackets, plain] = addressAndPort.exec(part.trim()) ?? []
      return inBrackets ?? plain ?? part.trim()
    })
  const headers = { ...request.headers, 'x-forwarded-for': addresses.join(', ') }
  return { socket: request.socket, headers }
}

/** Empty when the connection is closed. */
function connectedAddress({ socket }: IncomingMessage): string {
  return socket.remoteAddress ?? ''
}

/** A network of all addresses would trust every client. */
function areNetworks(parts: readonly string[]): boolean {
  if (parts.some((part) => part.endsWith('/0') || isIP(part.split('/')[0] ?? '') === 0)) return false
  try {
    proxyAddr.compile([...parts])
    return true
  } catch {
    return false
  }
}
