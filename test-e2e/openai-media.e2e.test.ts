import { BadRequestError, NotFoundError, type OpenAI, toFile } from 'openai'
import { formOf } from './billing-matrix/speak-media.ts'
import { ledgerOf, payFor, priceUsd } from './charge.ts'
import { openaiFor } from './clients.ts'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'

let fleet: SharedFleet
let openai: OpenAI

beforeAll(async () => {
  fleet = await shareFleet()
  openai = openaiFor(fleet)
}, 300_000)

const soundOf = async () => toFile(formOf({}).get('file') as Blob, 'silence.wav')

describe('by the openai package', () => {
  it('moderations classify texts and parts, and cost their prompt', async () => {
    const input = ['a walk in the park', 'violence in the park']
    const { answer, paidUsd } = await payFor(fleet, () => openai.moderations.create({ model: 'sim/moderate', input }))
    expect(answer.results.map(({ flagged }) => flagged)).toEqual([false, true])
    const { usage } = answer as typeof answer & { usage: { prompt_tokens: number; cost_usd: number } }
    expect([usage.cost_usd, paidUsd]).toEqual([paidUsd, priceUsd('sim/moderate', { prompt: usage.prompt_tokens })])
    const parts: OpenAI.ModerationMultiModalInput[] = [{ type: 'text', text: 'violence' }]
    expect((await openai.moderations.create({ model: 'sim/moderate', input: parts })).results).toHaveLength(1)
  })

  it('images cost their tokens, or a price each', async () => {
    const { answer, paidUsd } = await payFor(fleet, () =>
      openai.images.generate({ model: 'sim/image', prompt: 'a cat on a mat', n: 2, quality: 'high' }),
    )
    expect(answer.data?.map(({ b64_json }) => Buffer.from(b64_json ?? '', 'base64').toString('latin1', 1, 4))).toEqual([
      'PNG',
      'PNG',
    ])
    const { input_tokens: prompt = 0, output_tokens: completion = 0 } = answer.usage ?? {}
    expect([completion, paidUsd]).toEqual([8_320, priceUsd('sim/image', { prompt, completion })])
    const flat = await payFor(fleet, () => openai.images.generate({ model: 'sim/image-flat', prompt: 'a cat', n: 3 }))
    expect(flat.paidUsd).toBe(0.12)
  })

  it('speech is a sound of the requested type, paid by the character', async () => {
    const { answer, paidUsd } = await payFor(fleet, async () => {
      const speech = { model: 'sim/speech', input: 'Grüße 🙂', voice: 'alloy', response_format: 'opus' } as const
      const response = await openai.audio.speech.create(speech)
      return { headers: response.headers, sound: Buffer.from(await response.arrayBuffer()).toString() }
    })
    expect([answer.sound, answer.headers.get('content-type')]).toEqual(['opus:Grüße 🙂', 'audio/opus'])
    expect([paidUsd, Number(answer.headers.get('x-svc-cost-usd'))]).toEqual([0.000105, 0.000105])
    expect(answer.headers.get('x-svc-logged')).toMatch(/^off; /)
  })

  it('transcripts come in each format, at the price of three seconds', async () => {
    const request = { model: 'sim/transcribe', language: 'en' }
    const json = await payFor(fleet, async () =>
      openai.audio.transcriptions.create({ ...request, file: await soundOf() }),
    )
    expect(json.answer).toMatchObject({ text: 'A recording of 2.5 seconds.', usage: { seconds: 3, cost_usd: 0.0003 } })
    expect(json.paidUsd).toBe(0.0003)
    const formats = { text: 'A recording', srt: '1\n00:00:00,000 --> 00:00:02,500\nA', vtt: 'WEBVTT\n\n00:00:00.000' }
    for (const [format, start] of Object.entries(formats) as ['text' | 'srt' | 'vtt', string][]) {
      const paid = await payFor(fleet, async () =>
        openai.audio.transcriptions.create({ ...request, file: await soundOf(), response_format: format }),
      )
      expect([format, String(paid.answer).startsWith(start), paid.paidUsd]).toEqual([format, true, 0.0003])
    }
    const verbose = await openai.audio.transcriptions.create({
      ...request,
      file: await soundOf(),
      response_format: 'verbose_json',
      timestamp_granularities: ['segment'],
    })
    expect(verbose).toMatchObject({ duration: 2.5, segments: [{ start: 0, end: 2.5 }] })
  })
})

it.each<[string, (client: OpenAI) => PromiseLike<unknown>, string]>([
  [
    'a voice is missing',
    (client) => client.audio.speech.create({ model: 'sim/speech', input: 'x', voice: '' }),
    'voice',
  ],
  [
    'images are streamed',
    (client) => client.images.generate({ model: 'sim/image', prompt: 'x', stream: true }),
    'stream',
  ],
  ['there are too many images', (client) => client.images.generate({ model: 'sim/image', prompt: 'x', n: 11 }), 'n'],
  [
    'there is nothing to moderate',
    (client) => client.moderations.create({ model: 'sim/moderate', input: '' }),
    'input',
  ],
  [
    'a chat model is to speak',
    (client) => client.audio.speech.create({ model: 'sim/small', input: 'x', voice: 'alloy' }),
    'model',
  ],
])('refuses a request for which %s, and charges nothing', async (_, ask, param) => {
  const before = await ledgerOf(fleet)
  const error = await Promise.resolve(ask(openai)).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(BadRequestError)
  expect((error as BadRequestError).param).toBe(param)
  expect((await ledgerOf(fleet)).balance).toBe(before.balance)
})

it('needs the price of its model', async () => {
  const asked = openai.audio.transcriptions.create({ model: 'nobody/hears', file: await soundOf() })
  await expect(asked).rejects.toBeInstanceOf(NotFoundError)
})
