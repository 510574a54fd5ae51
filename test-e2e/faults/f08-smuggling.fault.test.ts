import fc from 'fast-check'
import { rawChatBytes, rawExchange } from '../raw-request.ts'
import { describeFault } from './describe-fault.ts'

const chat = JSON.stringify({ model: 'sim/small', messages: [{ role: 'user', content: 'hi' }] })
const hidden = 'GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n'

/** Header lines to add to the usual head, and the bytes after it. */
const corpus: readonly (readonly [what: string, headers: readonly string[], body: string])[] = [
  ['a length and chunks', ['Content-Length: 4', 'Transfer-Encoding: chunked'], `0\r\n\r\n${hidden}`],
  ['chunks and a length', ['Transfer-Encoding: chunked', 'Content-Length: 4'], `0\r\n\r\n${hidden}`],
  ['two lengths', ['Content-Length: 0', `Content-Length: ${hidden.length}`], hidden],
  ['two lengths in one', [`Content-Length: 0, ${hidden.length}`], hidden],
  ['a length with a plus', ['Content-Length: +4'], hidden],
  ['a length with a NUL', ['Content-Length: 4\0'], hidden],
  ['chunks that are not', ['Transfer-Encoding: xchunked'], hidden],
  ['chunks twice', ['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'], `0\r\n\r\n${hidden}`],
  ['chunks and identity', ['Transfer-Encoding: chunked, identity'], `0\r\n\r\n${hidden}`],
  ['chunks behind a tab', ['Transfer-Encoding:\x0bchunked'], `0\r\n\r\n${hidden}`],
  ['a space before the colon', ['Transfer-Encoding : chunked'], `0\r\n\r\n${hidden}`],
  ['a folded header', ['X-A: b', ' Transfer-Encoding: chunked'], `0\r\n\r\n${hidden}`],
  ['a bare LF', ['X-A: b\nTransfer-Encoding: chunked'], `0\r\n\r\n${hidden}`],
  ['a bare CR', ['X-A: b\rTransfer-Encoding: chunked'], `0\r\n\r\n${hidden}`],
  ['a chunk size with a plus', ['Transfer-Encoding: chunked'], `+0\r\n\r\n${hidden}`],
  ['a chunk size with 0x', ['Transfer-Encoding: chunked'], `0x0\r\n\r\n${hidden}`],
  ['a chunk size ended by LF', ['Transfer-Encoding: chunked'], `0\n\n${hidden}`],
  ['a chunk that runs over', ['Transfer-Encoding: chunked'], `1\r\nab\r\n0\r\n\r\n${hidden}`],
  ['two hosts', ['Host: a', 'Host: b'], chat],
  ['a method override', ['X-HTTP-Method-Override: DELETE'], chat],
  ['another method override', ['X-Method-Override: GET'], chat],
]

const targets: readonly string[] = [
  'http://other/v1/models',
  'http://127.0.0.1:1/v1/models',
  '*',
  '//v1/models',
  '/v1//models',
  '/v1/../v1/models',
  '/v1/models/..',
  '/v1/./models',
  '/v1/%2e%2e/v1/models',
  '/v1/%252e%252e/v1/models',
  '/v1/models/%2e%2e%2flogs',
  '/v1/models/a%2f..%2f..%2flogs',
  '/v1/chat/completions/..%2f..%2flogs',
  '/v1/logs/..;/models',
  '/v1\\models',
  '/v1/logs%00',
  '/v1/logs%5c..%5cmodels',
  '/internal/wallet',
  '/v1/../internal/wallet',
  '/v1/models/%2e%2e/%2e%2e/internal/wallet',
  '/metrics/../v1/models',
]

describeFault(
  {
    id: 'F8',
    title: 'requests are ambiguous (request smuggling)',
    promise: 'the edge answers once, with 400 or 404, and closes the connection; no service is called',
  },
  (fault) => {
    it.each(corpus)('refuses %s at the edge', async (_what, headers, body) => {
      const text = await send({ headers, body })
      expect(statusesOf(text)).toEqual([400])
      await expectNoCalls()
    })

    it.each(targets)('does not forward %j', async (target) => {
      const text = await send({ target, method: 'GET' })
      expect(statusesOf(text)).toHaveLength(1)
      expect(['400', '404']).toContain(String(statusesOf(text)[0]))
      expect(text).not.toContain('balance')
    })

    it('answers pipelined valid requests once each', async () => {
      const bytes = rawChatBytes(fault.fleet.workspace.apiKey, { target: '/v1/models', method: 'GET' })
      expect(statusesOf(await rawExchange(fault.fleet.url, Buffer.concat([bytes, bytes])))).toEqual([200, 200])
    })

    it('does not route a path in disguise', async () => {
      const usual = new Set([400, 404])
      const seen: number[] = []
      await fc.assert(
        fc.asyncProperty(disguise(), async (target) => {
          const [status = 0, ...more] = statusesOf(await send({ target, method: 'GET' }))
          seen.push(status)
          expect({ target, known: usual.has(status), more }).toEqual({ target, known: true, more: [] })
        }),
        { numRuns: 120, seed: Math.floor(fault.random() * 2 ** 31), endOnFailure: true },
      )
      fault.note('ambiguous requests', corpus.length)
      fault.note(
        'disguised paths: 400, 404',
        [400, 404].map((each) => seen.filter((one) => one === each).length).join(', '),
      )
    }, 60_000)

    function send(chat: Parameters<typeof rawChatBytes>[1]): Promise<string> {
      const closing = { ...chat, headers: [...(chat.headers ?? []), 'Connection: close'] }
      return rawExchange(fault.fleet.url, rawChatBytes(fault.fleet.workspace.apiKey, closing), { quietMs: 400 })
    }

    async function expectNoCalls() {
      expect((await fault.fleet.provider.report()).totals.requests).toBe(0)
    }
  },
)

function statusesOf(text: string): readonly number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status))
}

/** A relative path from a public path to one that is not, with characters plain or percent-encoded once or twice. */
function disguise(): fc.Arbitrary<string> {
  const prefix = fc.constantFrom('/v1/models', '/v1/chat/completions', '/v1/logs', '/v1')
  const steps = fc.array(fc.constantFrom('..', '.', '', '..;', '...'), { minLength: 1, maxLength: 4 })
  const goal = fc.constantFrom('internal/wallet', 'metrics', 'healthz', 'v1/models')
  const encode = fc.infiniteStream(fc.integer({ min: 0, max: 5 }))
  return fc.tuple(prefix, steps, goal, encode).map(([from, up, to, stream]) => {
    const tail = `/${up.join('/')}/${to}`
    return from + [...tail].map((character) => encoded(character, stream.next().value ?? 0)).join('')
  })
}

function encoded(character: string, how: number): string {
  if (!'./\\'.includes(character) || how > 1) return character
  const hex = character.charCodeAt(0).toString(16)
  return how === 0 ? `%${hex}` : `%25${hex}`
}
