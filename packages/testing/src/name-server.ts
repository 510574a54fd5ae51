import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'

export type RecordType = 'A' | 'AAAA'

export interface NameServer {
  /** Address and port, in the form of `Resolver.setServers`. */
  readonly address: string
  /** The queries in order, such as `example.com A`. */
  readonly asked: string[]
  stop(): Promise<void>
}

/** The current addresses of a name; null for a name that does not exist. */
export type LookUpName = (name: string, type: RecordType) => readonly string[] | null

const types = new Map<number, RecordType>([
  [1, 'A'],
  [28, 'AAAA'],
])

/** A name server on a free port of 127.0.0.1 that knows only the given names. */
export async function startNameServer(lookUp: LookUpName): Promise<NameServer> {
  const socket = createSocket('udp4')
  const asked: string[] = []
  socket.on('message', (query, { port, address }) => socket.send(answerTo(query, lookUp, asked), port, address))
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    stop: () => new Promise((resolve) => socket.close(() => resolve())),
  }
}

/** RFC 1035, section 4. */
function answerTo(query: Buffer, lookUp: LookUpName, asked: string[]): Buffer {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('ascii', at + 1, at + 1 + length))
    at += length + 1
  }
  const code = query.readUInt16BE(at + 1)
  const type = types.get(code)
  const name = labels.join('.')
  asked.push(`${name} ${type ?? code}`)
  const records = type === undefined ? [] : lookUp(name, type)
  const head = Buffer.from(query.subarray(0, 12))
  head.writeUInt16BE(records === null ? 0x8183 : 0x8180, 2)
  head.writeUInt16BE(records?.length ?? 0, 6)
  head.fill(0, 8)
  const answers = (records ?? []).map((address) => {
    const data = addressBytes(address)
    return Buffer.concat([Buffer.from([0xc0, 12, 0, code, 0, 1, 0, 0, 0, 0, 0, data.length]), data])
  })
  return Buffer.concat([head, query.subarray(12, at + 5), ...answers])
}

function addressBytes(address: string): Buffer {
  if (!isIPv6(address)) return Buffer.from(address.split('.').map(Number))
  const [left = '', right] = address.split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':'))
  const [before, after] = [groups(left), groups(right ?? '')]
  const all = [...before, ...Array(8 - before.length - after.length).fill('0'), ...after]
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex')
}
