import type { IncomingMessage } from 'node:http'
import { loadConfig } from '@ratchet/service-kit/process/config'
import { z } from 'zod'
import { clientAddressBehind, TrustedProxies } from './client-address.ts'

const from = (remoteAddress: string | undefined, forwarded?: string) =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as IncomingMessage

const behind = (text: string) =>
  clientAddressBehind(
    loadConfig(z.object({ TRUSTED_PROXIES: TrustedProxies }), { TRUSTED_PROXIES: text }).TRUSTED_PROXIES,
  )

it.each([
  ['nobody is trusted without the setting', '', '10.0.0.1', '1.1.1.1', '10.0.0.1'],
  ['a client that is no trusted proxy writes what it likes', '10.0.0.0/8', '9.9.9.9', '1.1.1.1', '9.9.9.9'],
  ['a proxy says who the client is', '10.0.0.0/8', '10.0.0.1', '1.1.1.1', '1.1.1.1'],
  ['what the client wrote stands before what the proxy added', '10.0.0.1', '10.0.0.1', '6.6.6.6, 1.1.1.1', '1.1.1.1'],
  ['a client that names a trusted proxy', '10.0.0.0/8', '10.0.0.1', '6.6.6.6, 10.0.0.9, 1.1.1.1', '1.1.1.1'],
  ['a chain of trusted proxies', '10.0.0.0/8,192.0.2.1', '10.0.0.1', '6.6.6.6,1.1.1.1,192.0.2.1', '1.1.1.1'],
  ['only trusted proxies', '10.0.0.0/8', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
  ['a proxy that adds nothing', '10.0.0.0/8', '10.0.0.1', undefined, '10.0.0.1'],
  ['a text that is no address', '10.0.0.0/8', '10.0.0.1', '1.1.1.1, unknown', '10.0.0.1'],
  ['an address with a port', '10.0.0.0/8', '10.0.0.1', '6.6.6.6, 1.1.1.1:55', '1.1.1.1'],
  ['IPv6 with a port', '10.0.0.0/8', '10.0.0.1', '[2001:db8:2::1]:443, 10.0.0.2:80', '2001:db8:2::1'],
  ['a port alone', '10.0.0.0/8', '10.0.0.1', ':55', '10.0.0.1'],
  ['an empty header', '10.0.0.0/8', '10.0.0.1', '', '10.0.0.1'],
  ['IPv6', '2001:db8:1::/48', '2001:db8:1::7', '2001:db8:2::1', '2001:db8:2::1'],
  ['IPv4 on a socket of IPv6', '10.0.0.0/8', '::ffff:10.0.0.1', '1.1.1.1', '1.1.1.1'],
  ['a closed connection', '10.0.0.0/8', undefined, '1.1.1.1', ''],
])('%s', (_what, trusted, connected, forwarded, client) => {
  expect(behind(trusted)(from(connected, forwarded))).toBe(client)
})

it.each([
  'ingress',
  '10.0.0.0/33',
  '10.0.0.0/8;10.1.1.1',
  '0.0.0.0/0',
  '::/0',
  'loopback',
  '10.0.0.1/0.0.0.0',
  '10.0.0.1/',
])('does not start with %s as a proxy', (text) => {
  expect(() => behind(text)).toThrow(/TRUSTED_PROXIES/)
})

it('reads a list with spaces, and an empty one', () => {
  expect(TrustedProxies.parse(' 10.0.0.0/8 , ::1 ,')).toEqual(['10.0.0.0/8', '::1'])
  expect(TrustedProxies.parse(undefined)).toEqual([])
})
