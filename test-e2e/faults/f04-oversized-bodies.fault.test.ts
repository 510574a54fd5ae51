import { once } from 'node:events'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { parseRawAnswer, type RawChat, rawChatBytes, rawRequest } from '../raw-request.ts'
import { describeFault } from './describe-fault.ts'
import { memoryGrowthMb } from './resident-memory.ts'

const megabyte = 1_048_576
const chat = JSON.stringify({ model: 'sim/echo', messages: [{ role: 'user', content: 'hi' }] })
/** Size of a body that counts as endless, bytes. */
const endless = 1_024 * megabyte

describeFault(
  {
    id: 'F4',
    title: 'bodies are too large, have a wrong length, or are compressed',
    promise: '413, 400, 415 or 408 without buffering: no process grows by more than 50 MB',
  },
  (fault) => {
    const send = (sent: RawChat) => rawRequest(fault.fleet.url, rawChatBytes(fault.fleet.workspace.apiKey, sent))

    it.each<[string, () => RawChat, number, string]>([
      ['an announced gigabyte', () => ({ headers: [`Content-Length: ${endless}`] }), 413, 'request_too_large'],
      ['an announced 10^30', () => ({ headers: [`Content-Length: 1${'0'.repeat(30)}`] }), 400, 'invalid_request'],
      ['a negative length', () => ({ headers: ['Content-Length: -1'], body: chat }), 400, 'invalid_request'],
      ['a length that is no number', () => ({ headers: ['Content-Length: 1e3'], body: chat }), 400, 'invalid_request'],
      ['a chunk that lies', () => chunked(`5\r\n${chat}\r\n0\r\n\r\n`), 400, 'invalid_request'],
      ['a chunk of 2^64', () => chunked('ffffffffffffffff1\r\na'), 400, 'invalid_request'],
      ['a length below the body', () => ({ headers: ['Content-Length: 5'], body: chat }), 400, 'invalid_request'],
      ['gzip', () => encoded('gzip', gzipSync(Buffer.alloc(200 * megabyte, 0x20))), 415, 'unsupported_media_type'],
      ['deflate', () => encoded('deflate', chat), 415, 'unsupported_media_type'],
      ['gzip twice', () => encoded('gzip, gzip', chat), 415, 'unsupported_media_type'],
      ['gzip under the name of its type', () => ({ body: gzipSync(chat) }), 400, 'invalid_request'],
    ])('refuses %s', async (_what, sent, status, code) => {
      const edge = fault.fleet.edges[0] ?? fault.fleet.inference
      const grown = await memoryGrowthMb([edge, fault.fleet.inference], async () => {
        const answer = await send(sent())
        expect([answer.status, JSON.parse(answer.body).error.code]).toEqual([status, code])
      })
      expect(grown).toBeLessThan(50)
    })

    it('ends a request whose body is shorter than its length', async () => {
      const bytes = rawChatBytes(fault.fleet.workspace.apiKey, { headers: ['Content-Length: 500'], body: chat })
      const { hostname, port } = new URL(fault.fleet.url)
      const socket = connect({ host: hostname, port: Number(port) })
      socket.on('error', () => undefined).resume()
      socket.end(bytes)
      await once(socket, 'close')
      expect(await fault.ask({ model: 'sim/echo' })).toMatchObject({ status: 200 })
      expect((await fault.fleet.provider.report()).totals.requests).toBe(1)
    })

    it('answers 413 to a body of a gigabyte without buffering it', async () => {
      const edge = fault.fleet.edges[0] ?? fault.fleet.inference
      // A process keeps the memory of its first large bodies for the next ones.
      await pour(200 * megabyte)
      let sent: Sent | undefined
      const grown = await memoryGrowthMb([edge, fault.fleet.inference], async () => {
        sent = await pour()
      })
      fault.note('MB taken (and thrown away) of a body of 1 GB', Math.round((sent?.bytes ?? 0) / megabyte))
      fault.note('growth of the largest process, MB', grown)
      expect(sent?.status).toBe(413)
      expect(grown).toBeLessThan(50)
    }, 60_000)

    /** Sends megabytes in one request until the connection is closed. */
    async function pour(atMost = endless): Promise<Sent> {
      const { hostname, port } = new URL(fault.fleet.url)
      const socket = connect({ host: hostname, port: Number(port) })
      socket.on('error', () => undefined)
      let text = ''
      socket.setEncoding('latin1').on('data', (data: string) => {
        text += data
      })
      await once(socket, 'connect')
      const closed = once(socket, 'close')
      socket.write(rawChatBytes(fault.fleet.workspace.apiKey, chunked('')))
      const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(megabyte, 0x20), Buffer.from('\r\n')])
      let bytes = 0
      while (bytes < atMost && !socket.destroyed) {
        if (!socket.write(chunk)) await Promise.race([once(socket, 'drain'), closed]).catch(() => undefined)
        bytes += megabyte
      }
      socket.destroy()
      await closed
      return { bytes, status: parseRawAnswer(text).status }
    }
  },
)

interface Sent {
  readonly bytes: number
  readonly status: number
}

function chunked(body: string): RawChat {
  return { headers: ['Transfer-Encoding: chunked'], body }
}

function encoded(coding: string, body: string | Buffer): RawChat {
  return { headers: [`Content-Encoding: ${coding}`], body }
}
