import { type NameServer, startNameServer } from '@ratchet/testing/name-server'
import { publicResolver } from './resolve-host.ts'

/** Addresses by name and type. */
const zone: Readonly<Record<string, readonly string[]>> = {
  'both.example.com A': ['8.8.8.8', '10.0.0.1'],
  'both.example.com AAAA': ['2606:4700::1'],
  'only-v4.example.com A': ['8.8.4.4'],
  'only-v6.example.com AAAA': ['2606:4700::2'],
}

let server: NameServer
let resolve: ReturnType<typeof publicResolver>

beforeAll(async () => {
  server = await startNameServer((name, type) => {
    const isKnown = Object.keys(zone).some((each) => each.startsWith(`${name} `))
    return isKnown ? (zone[`${name} ${type}`] ?? []) : null
  })
  resolve = publicResolver([server.address])
})
afterAll(() => server.stop())

it('finds every address of a host, of both kinds', async () => {
  expect([...(await resolve('both.example.com'))].sort()).toEqual(['10.0.0.1', '2606:4700::1', '8.8.8.8'])
})

it('accepts a host with one kind', async () => {
  expect(await resolve('only-v4.example.com')).toEqual(['8.8.4.4'])
  expect(await resolve('only-v6.example.com')).toEqual(['2606:4700::2'])
})

it('fails for an unknown host', async () => {
  await expect(resolve('nobody.example.com')).rejects.toMatchObject({ code: 'ENOTFOUND' })
})

it('resolves the name as it is, without the search domains of this machine', async () => {
  server.asked.length = 0
  await expect(resolve('redis')).rejects.toMatchObject({ code: 'ENOTFOUND' })
  expect(server.asked.sort()).toEqual(['redis A', 'redis AAAA'])
})
