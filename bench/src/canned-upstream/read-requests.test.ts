import fc from 'fast-check'
import { createRequestReader } from './read-requests.ts'

const head = 'POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\n'
const bodies = ['{"model":"m"}', '', 'x'.repeat(70_000)]

function bodiesOf(pieces: readonly Buffer[]): string[] {
  const seen: string[] = []
  const read = createRequestReader((body) => seen.push(body.toString('latin1')))
  for (const piece of pieces) read(piece)
  return seen
}

describe('createRequestReader', () => {
  it.each(bodies)('reports a body of a declared length, wherever the bytes are cut', (body) => {
    const request = Buffer.from(`${head}Content-Length: ${body.length}\r\n\r\n${body}`)
    fc.assert(
      fc.property(fc.integer({ min: 1, max: request.length - 1 }), (cut) => {
        const pieces = [request.subarray(0, cut), request.subarray(cut), request]
        expect(bodiesOf(pieces)).toEqual([body, body])
      }),
    )
  })

  it('reports a chunked body when its last chunk has come', () => {
    const pieces = [`${head}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n`, '0\r\n\r\n'].map((text) =>
      Buffer.from(text),
    )
    expect(bodiesOf(pieces.slice(0, 1))).toEqual([])
    expect(bodiesOf(pieces)).toEqual(['5\r\nhello\r\n0\r\n\r\n'])
  })
})
