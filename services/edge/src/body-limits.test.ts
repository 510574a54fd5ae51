import { type Endpoint, operationName } from '@ratchet/contracts/endpoint'
import { endpoints } from '@ratchet/contracts/endpoints'
import { eventually } from '@ratchet/testing/eventually'
import { memoryAbuseGuard } from './abuse-guard/memory-abuse-guard.ts'
import { startTestEdge, type TestEdge } from './edge.fixture.ts'
import { head, openWire } from './wire.fixture.ts'

let edge: TestEdge
let auth: string
beforeAll(async () => {
  const store = memoryAbuseGuard(() => new Date())
  edge = await startTestEdge({ abuseGuard: { store, limit: { calls: 10_000, windowSeconds: 60 } } })
  auth = `Authorization: Bearer ${edge.mint()}`
})
afterAll(() => edge.stop())

/** Declares a body without sending it. Resolves with the status line of the answer. */
async function statusFor({ method, path }: Endpoint, ...lines: readonly string[]): Promise<string> {
  const wire = openWire(edge.port)
  const requestLine = `${method.toUpperCase()} ${path.replace(/[:*]\w+/g, 'x')}`
  wire.socket.write(head(requestLine, 'Host: a', auth, 'Expect: 100-continue', ...lines))
  await eventually(() => wire.text().includes('\r\n'))
  wire.socket.destroy()
  return wire.text().slice('HTTP/1.1 '.length, wire.text().indexOf('\r\n'))
}

const named = (endpoint: Endpoint): [string, Endpoint] => [operationName(endpoint), endpoint]

it.each(endpoints.map(named))(
  'accepts a body up to the limit of the contract and refuses a larger one: %s',
  async (_name, endpoint) => {
    const { maxBodyBytes, maxJsonBytes, maxGzippedBytes } = endpoint
    expect(maxJsonBytes).toBeLessThanOrEqual(maxBodyBytes)
    expect(await statusFor(endpoint, `Content-Length: ${maxBodyBytes}`)).toBe('100 Continue')
    expect(await statusFor(endpoint, `Content-Length: ${maxBodyBytes + 1}`)).toBe('413 Payload Too Large')
    const gzipped = (bytes: number) => statusFor(endpoint, 'Content-Encoding: gzip', `Content-Length: ${bytes}`)
    if (maxGzippedBytes === null) return expect(await gzipped(1)).toBe('415 Unsupported Media Type')
    expect(await gzipped(maxGzippedBytes)).toBe('100 Continue')
    expect(await gzipped(maxGzippedBytes + 1)).toBe('413 Payload Too Large')
  },
)
