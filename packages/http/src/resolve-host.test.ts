import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { publicResolver } from './resolve-host.ts'

const types = { a: 1, aaaa: 28 }

/** Addresses as they stand in an answer, by name and type. */
const zone: Readonly<Record<string, readonly Buffer[]>> = {
  'both.example.com 1': [Buffer.from([8, 8, 8, 8]), Buffer.from([10, 0, 0, 1])],
  'both.example.com 28': [Buffer.from('26064700000000000000000000000001', 'hex')],
  'only-v4.example.com 1': [Buffer.from([8, 8, 4, 4])],
  'only-v6.example.com 28': [Buffer.from('26064700000000000000000000000002', 'hex')],
}

const server = createSocket('udp4')
const asked: string[] = []
let resolve: ReturnType<typeof publicResolver>

beforeAll(async () => {
  server.on('message', (query, { port, address }) => server.send(answerTo(query), port, address))
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  resolve = publicResolver([`127.0.0.1:${server.address().port}`])
})
afterAll(() => void server.close())

/** The answer of a name server that knows the zone and nothing else (RFC 1035, §4). */
function answerTo(query: Buffer): Buffer {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('ascii', at + 1, at + 1 + length))
    at += length + 1
  }
  const type = query.readUInt16BE(at + 1)
  const name = `${labels.join('.')} ${type}`
  asked.push(name)
  const records = zone[name] ?? []
  const isKnown = Object.values(types).some((each) => `${labels.join('.')} ${each}` in zone)
  const head = Buffer.from(query.subarray(0, 12))
  head.writeUInt16BE(isKnown ? 0x8180 : 0x8183, 2)
  head.writeUInt16BE(records.length, 6)
  head.fill(0, 8)
  const answers = records.map((data) =>
    Buffer.concat([Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length]), data]),
  )
  return Buffer.concat([head, query.subarray(12, at + 5), ...answers])
}

it('finds every address of a host, of both kinds', async () => {
  expect([...(await resolve('both.example.com'))].sort()).toEqual(['10.0.0.1', '2606:4700::1', '8.8.8.8'])
})

it('is content with one kind', async () => {
  expect(await resolve('only-v4.example.com')).toEqual(['8.8.4.4'])
  expect(await resolve('only-v6.example.com')).toEqual(['2606:4700::2'])
})

it('fails for a host that nobody knows', async () => {
  await expect(resolve('nobody.example.com')).rejects.toMatchObject({ code: 'ENOTFOUND' })
})

it('asks for the name as it is, without the search domains of this machine', async () => {
  asked.length = 0
  await expect(resolve('redis')).rejects.toMatchObject({ code: 'ENOTFOUND' })
  expect(asked.sort()).toEqual(['redis 1', 'redis 28'])
})
