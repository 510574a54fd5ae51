import fc from 'fast-check'
import { describeFault } from './describe-fault.ts'
import type { Asked } from './fault-clients.ts'
import { memoryGrowthMb } from './resident-memory.ts'
import { chatChunk, type ScriptedUpstream, startScriptedUpstream, streaming } from './scripted-upstream.ts'
import { settledCharge } from './settled-charge.ts'

let upstream: ScriptedUpstream

const text = 'grüße, 世界 🌍'
const first = chatChunk({ delta: { role: 'assistant', content: 'grü' } })
const second = chatChunk({ delta: { content: 'ße, 世界 🌍' } })
const finish = chatChunk({ delta: {}, finish_reason: 'stop' })
const usage = chatChunk({ usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } })
const zero = chatChunk({ usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } })
const error = '{"error":{"message":"overloaded","type":"server_error"}}'
const sound = [first, second, finish, usage, '[DONE]']
const charged = 10n * 1_000n + 5n * 2_000n

/** Unusual streams that are valid. */
const understood: readonly (readonly [what: string, stream: string, costNano: bigint | null])[] = [
  ['CRLF', frames(sound, { eol: '\r\n' }), charged],
  ['CR', frames(sound, { eol: '\r' }), charged],
  ['line endings of every kind', mixed(sound), charged],
  ['no space behind the colon', frames(sound, { colon: ':' }), charged],
  ['comments and unknown fields', frames(sound, { before: ': ping\n\nid: 7\nretry: 1\n' }), charged],
  ['data on several lines', frames(sound.map((data) => data.replaceAll(',"', ',\ndata: "'))), charged],
  ['a byte order mark', `\ufeff${frames(sound)}`, charged],
  ['no choices in a chunk', frames([chatChunk({}), ...sound]), charged],
  ['no [DONE]', frames(sound.slice(0, -1)), charged],
  ['no blank line at the end', frames(sound).trimEnd(), charged],
  ['usage twice, the last of it right', frames([first, zero, second, finish, usage, '[DONE]']), charged],
  ['usage before the end', frames([first, second, usage, finish, '[DONE]']), charged],
  ['usage zero', frames([first, second, finish, zero, '[DONE]']), 0n],
  ['no usage', frames([first, second, finish, '[DONE]']), null],
  [
    'an impossible usage',
    frames([first, second, finish, usage.replace('"prompt_tokens":10', '"prompt_tokens":-5'), '[DONE]']),
    null,
  ],
]

/** Streams that are failures despite their status 200. */
const failures: readonly (readonly [what: string, sent: { readonly stream: string; readonly contentType?: string }])[] =
  [
    ['an error frame in a 200', { stream: frames([first, error]) }],
    ['an event called error', { stream: `data: ${first}\n\nevent: error\ndata: {"message":"overloaded"}\n\n` }],
    ['an error frame and nothing else', { stream: frames([error]) }],
    ['a JSON error that calls itself a stream', { stream: error }],
    ['a JSON error that says what it is', { stream: error, contentType: 'application/json' }],
    ['HTML that calls itself a stream', { stream: '<html><body>502</body></html>' }],
    ['broken JSON', { stream: frames([first, '{"choices":[', '[DONE]']) }],
    ['no JSON', { stream: frames([first, 'hello', '[DONE]']) }],
    ['choices that are no list', { stream: frames([first, '{"choices":7}', '[DONE]']) }],
    [
      'a line of 5 MB',
      { stream: frames([first, chatChunk({ delta: { content: 'x'.repeat(5_000_000) } }), finish, usage, '[DONE]']) },
    ],
    ['a line of 5 MB without an end', { stream: `data: ${'x'.repeat(5_000_000)}` }],
    ['nothing', { stream: '' }],
    ['an end before the answer has one', { stream: frames([first, second]) }],
  ]

/** Each is a request that is charged or released; on a busy machine one takes half a second. */
const tamperedStreams = 50

describeFault(
  {
    id: 'F16',
    title: 'a provider sends malformed streams',
    promise:
      'streams that the standard allows are read with any chunking; all others are one error frame (or 502) without a charge; at most 1 MB of an event is buffered',
    fleet: async (onStop) => {
      upstream = await startScriptedUpstream(onStop)
      return { env: { CATALOG_DIR: upstream.catalogFolder } }
    },
  },
  (fault) => {
    let maxGrownMb = 0
    const ask = () => fault.ask({ model: 'scripted/chat', stream: true })

    it.each(understood)('understands %s', async (_what, stream, costNano) => {
      upstream.answer(streaming(cutAtRandom(Buffer.from(stream))))
      const answer = await ask()
      expect(answer).toMatchObject({ status: 200, whole: true })
      expect(contentOf(answer)).toBe(text)
      const cost = await settledCharge(fault.fleet, answer.requestId)
      if (costNano === null) expect(cost).toBeGreaterThan(0n)
      else expect(cost).toBe(costNano)
    })

    it.each(failures)('fails for %s', async (_what, { stream, contentType }) => {
      upstream.answer(streaming(cutAtRandom(Buffer.from(stream)), contentType))
      const grown = await memoryGrowthMb([fault.fleet.inference], async () => expectUnbilled(await ask()))
      maxGrownMb = Math.max(grown, maxGrownMb)
      fault.note('growth at lines of 5 MB, MB', maxGrownMb)
      expect(grown).toBeLessThan(40)
    })

    it('reads or refuses a randomly changed stream, and nothing in between', async () => {
      const bytes = Buffer.from(frames(sound))
      let whole = 0
      let broken = 0
      const stream = fc.array(tampering(bytes.length), { minLength: 1, maxLength: 4 })
      await fc.assert(
        fc.asyncProperty(stream, async (changes) => {
          upstream.answer(streaming(cutAtRandom(changes.reduce<Buffer>(tamper, bytes))))
          const answer = await ask()
          if (answer.whole && answer.status === 200) {
            whole += 1
            expect(answer.text.match(/data: \[DONE\]/g)).toHaveLength(1)
            return
          }
          broken += 1
          await expectUnbilled(answer)
        }),
        { numRuns: tamperedStreams, seed: Math.floor(fault.random() * 2 ** 31), endOnFailure: true },
      )
      fault.note('tampered streams: whole, broken off', `${whole}, ${broken}`)
      expect(whole).toBeGreaterThan(0)
      expect(broken).toBeGreaterThan(0)
    }, 60_000)

    async function expectUnbilled(answer: Asked): Promise<void> {
      expect(answer.whole && answer.status === 200).toBe(false)
      expect(answer.text).not.toContain('[DONE]')
      if (answer.status === 200) {
        expect(answer.text.match(/^data: \{"error":\{/gm)).toHaveLength(1)
        expect(answer.failure).not.toBeNull()
      }
      if (answer.status !== 200) expect(answer.status).toBe(502)
      expect(await settledCharge(fault.fleet, answer.requestId)).toBe(0n)
    }

    /** Splits the bytes into up to eight pieces, also inside a character. */
    function cutAtRandom(bytes: Buffer): readonly Buffer[] {
      const cuts = Array.from({ length: Math.floor(8 * fault.random()) }, () =>
        Math.floor(fault.random() * bytes.length),
      )
      const places = [0, ...cuts.sort((a, b) => a - b), bytes.length]
      return places.slice(1).map((end, i) => bytes.subarray(places[i], end))
    }
  },
)

interface Style {
  readonly eol?: string
  readonly colon?: string
  readonly before?: string
}

function frames(datas: readonly string[], { eol = '\n', colon = ': ', before = '' }: Style = {}): string {
  return datas.map((data) => `${before}data${colon}${data}${eol}${eol}`).join('')
}

function mixed(datas: readonly string[]): string {
  const ends = ['\r\n\n', '\n\r\n', '\r\r', '\n\n', '\r\n\r\n']
  return datas.map((data, i) => `data: ${data}${ends[i % ends.length]}`).join('')
}

type Change = { readonly at: number; readonly remove: number; readonly insert: Buffer }

function tampering(length: number): fc.Arbitrary<Change> {
  const pieces = ['\n', '\r', '\n\n', ':', '"', '{', '}', 'data: ', '\ufeff', '\0', '\ud83c', 'event: error\n', 'null']
  const insert = fc.oneof(
    fc.constantFrom(...pieces.map((piece) => Buffer.from(piece))),
    fc.uint8Array({ maxLength: 6 }).map((bytes) => Buffer.from(bytes)),
  )
  return fc.record({ at: fc.nat(length), remove: fc.nat(12), insert })
}

function tamper(bytes: Buffer, { at, remove, insert }: Change): Buffer {
  return Buffer.concat([bytes.subarray(0, at), insert, bytes.subarray(at + remove)])
}

/** The text that a client reads from the answer, by the standard's rules for lines. */
function contentOf({ text }: Asked): string {
  const events = text.replace(/^\ufeff/, '').split(/(?:\r\n|\r|\n){2,}/)
  const datas = events.map((event) =>
    event
      .split(/\r\n|\r|\n/)
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice(5))
      .join('\n'),
  )
  return datas
    .filter((data) => data !== '' && data.trim() !== '[DONE]')
    .map((data) => JSON.parse(data).choices?.[0]?.delta?.content ?? '')
    .join('')
}
