import fc from 'fast-check'
import { rawChatBytes, rawRequest } from '../raw-request.ts'
import { describeFault } from './describe-fault.ts'

const chat = JSON.stringify({ model: 'sim/small', messages: [{ role: 'user', content: 'hi' }] })
const injected = 'x-injected'
const runs = 200
const rules = {
  'X-Svc-Tag': /^[\x20-\x7e]{0,64}$/,
  'X-Svc-Trace-Id': /^[\x21-\x7e]{0,128}$/,
} as const

describeFault(
  {
    id: 'F7',
    title: 'header values contain CR, LF, NUL and bytes beyond ASCII',
    promise:
      'a value that breaks the rule of its header is a 400, any other a 200; an answer has no additional headers',
  },
  (fault) => {
    const send = (headers: readonly string[], body = chat) =>
      rawRequest(fault.fleet.url, rawChatBytes(fault.fleet.workspace.apiKey, { headers, body }), { timeoutMs: 500 })
    const namesOf = ({ headers }: { headers: object }) => Object.keys(headers).sort()

    it('accepts exactly the documented values', async () => {
      const usual = { 200: namesOf(await send([])), 400: namesOf(await send(['X-Svc-Tag: caf\xe9'])) }
      const seen = new Map<number, number>()
      const header = fc.constantFrom(...(Object.keys(rules) as (keyof typeof rules)[]))
      await fc.assert(
        fc.asyncProperty(header, hostileValue(), async (name, value) => {
          const answer = await send([`${name}: ${value}`])
          const isFine = rules[name].test(value.replace(/^[ \t]+|[ \t]+$/g, ''))
          expect(answer.status).toBe(isFine ? 200 : 400)
          // Node answers a head that cannot be parsed before the app is called, and closes the connection.
          expect(namesOf(answer).filter((each) => each !== 'connection')).toEqual(
            expect.arrayContaining([
              'cache-control',
              'content-length',
              'content-type',
              'x-content-type-options',
              'x-request-id',
            ]),
          )
          expect(usual[isFine ? 200 : 400]).toEqual(
            expect.arrayContaining(namesOf(answer).filter((each) => each !== 'connection')),
          )
          seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1)
        }),
        { numRuns: runs, seed: Math.floor(fault.random() * 2 ** 31), endOnFailure: true },
      )
      fault.note('values taken, refused', `${seen.get(200) ?? 0}, ${seen.get(400) ?? 0}`)
      expect(Math.min(seen.get(200) ?? 0, seen.get(400) ?? 0)).toBeGreaterThan(10)
    }, 60_000)

    it('writes no model name into a header that could inject another header', async () => {
      const text = fc.array(
        fc.constantFrom('a', '\r', '\n', '\r\n', `\r\n${injected}: 1`, '\0', ' ', 'é', '世', '"', '/'),
      )
      await fc.assert(
        fc.asyncProperty(text, async (parts) => {
          const model = `a${parts.join('')}`
          const answer = await send([], JSON.stringify({ ...JSON.parse(chat), model, models: undefined }))
          expect([400, 404]).toContain(answer.status)
          expect(namesOf(answer)).not.toContain(injected)
        }),
        { numRuns: 60, seed: Math.floor(fault.random() * 2 ** 31), endOnFailure: true },
      )
    }, 30_000)
  },
)

/** Mostly printable characters, and some control characters. Never CR LF, which would begin another header. */
function hostileValue(): fc.Arbitrary<string> {
  const printable = fc.integer({ min: 0x20, max: 0x7e })
  const other = fc.constantFrom(0x00, 0x01, 0x09, 0x0a, 0x0b, 0x0d, 0x1f, 0x7f, 0x80, 0x85, 0xa0, 0xff)
  const bytes = fc.oneof(
    fc.array(printable, { maxLength: 90 }),
    fc.array(fc.oneof({ weight: 12, arbitrary: printable }, { weight: 1, arbitrary: other }), { maxLength: 40 }),
  )
  return bytes.map((codes) => String.fromCharCode(...codes)).filter((value) => !/[\r\n][\r\n]|\r?\n$|\r$/.test(value))
}
