import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describeFault } from './describe-fault.ts'

const sockets = 40
/** Milliseconds after which an incomplete head, or body, is answered with 408. */
const headMs = 10_000
const bodyMs = 60_000

describeFault(
  {
    id: 'F3',
    title: 'heads and bodies are sent one byte at a time',
    promise: '408 and a closed connection: after 10 s for a head, 60 s for a body; other clients are served meanwhile',
  },
  (fault) => {
    it('answers 408 and closes', async () => {
      const heads = Array.from({ length: sockets }, () => drip('POST /v1/chat/completions HTTP/1.1\r\nX-Slow: '))
      const bodies = Array.from({ length: sockets }, () => drip(bodyStart()))
      const asked = await fault.askDuring({ model: 'sim/echo' }, async () => {
        const ended = { heads: await Promise.all(heads), bodies: await Promise.all(bodies) }
        fault.note('heads closed after, s', spread(ended.heads))
        fault.note('bodies closed after, s', spread(ended.bodies))
        for (const { text, ms } of ended.heads) {
          expect(text).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":"request_timeout"/)
          expect(ms).toBeGreaterThan(headMs - 500)
          expect(ms).toBeLessThan(headMs + 3_000)
        }
        for (const { text, ms } of ended.bodies) {
          expect(text).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":"request_timeout"/)
          expect(ms).toBeGreaterThan(bodyMs - 500)
          expect(ms).toBeLessThan(bodyMs + 5_000)
        }
      })
      fault.note('other requests meanwhile, all 200', asked.length)
      expect(new Set(asked.map(({ status }) => status))).toEqual(new Set([200]))
    }, 100_000)

    function bodyStart(): string {
      return [
        'POST /v1/chat/completions HTTP/1.1',
        'Host: gateway.test',
        `Authorization: Bearer ${fault.fleet.workspace.apiKey}`,
        'Content-Type: application/json',
        'Content-Length: 1000',
        '',
        '{"model":"',
      ].join('\r\n')
    }

    /** Sends a byte every second until the other side closes. */
    async function drip(start: string) {
      const { hostname, port } = new URL(fault.fleet.url)
      const socket: Socket = connect({ host: hostname, port: Number(port) })
      let text = ''
      socket.setEncoding('latin1').on('data', (data: string) => {
        text += data
      })
      socket.on('error', () => undefined)
      await once(socket, 'connect')
      const startedAt = performance.now()
      socket.write(start)
      const timer = setInterval(() => socket.writable && socket.write('a'), 1_000)
      await once(socket, 'close')
      clearInterval(timer)
      return { text, ms: performance.now() - startedAt }
    }
  },
)

function spread(ended: readonly { readonly ms: number }[]): string {
  const seconds = ended.map(({ ms }) => ms / 1_000)
  return `${Math.min(...seconds).toFixed(1)} to ${Math.max(...seconds).toFixed(1)}`
}
