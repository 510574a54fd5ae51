import { createResampler } from '@ratchet/audio/create-resampler'
import { decodeMuLaw, encodeMuLaw } from '@ratchet/audio/g711'
import { eventually } from '@ratchet/testing/eventually'
import { createLocalSpeech, type LocalSpeech } from './local-speech.ts'
import { soundsOf, wordErrors } from './word-errors.fixture.ts'

const sentences = [
  'Good morning, how can I help you today?',
  'Your parcel arrives tomorrow before noon.',
  'I would like to change my appointment, please.',
  'Could you tell me the number of your order?',
  'You will find the total on your last invoice.',
  'Please hold the line while I look that up.',
  'I am sorry, that item is not available at the moment.',
  'We are open from Monday to Friday.',
  'Would you like to speak with somebody from our team?',
  'Thank you for calling, and have a nice day.',
]

const folder = process.env.VOICE_LOCAL_SPEECH_DIR ?? ''
let speech: LocalSpeech
beforeAll(() => {
  if (folder === '') throw new Error('Run `npm run test:speech`, which installs the models.')
  speech = createLocalSpeech({ folder })
})
afterAll(() => speech.stop())

const spec = (voice: string) => ({
  voice,
  stt: { provider: null, model: null, keywords: [] },
  speech: { speed: 1, volume: 1 },
})

function say(voice: string, text: string, sampleRate: number): Promise<Int16Array> {
  const { promise, resolve, reject } = Promise.withResolvers<Int16Array>()
  const parts: Int16Array[] = []
  speech.synthesizer(spec(voice), sampleRate)?.speak(
    { text, isRetry: false },
    {
      onAudio: (pcm) => parts.push(pcm),
      onEnd: () => resolve(Int16Array.from(parts.flatMap((part) => [...part]))),
      onFailed: () => reject(new Error('not spoken')),
    },
  )
  return promise
}

/** Plays audio as a line does, with silence around it, and returns what is recognized of it. */
async function recognized(voice: string, pcm: Int16Array, sampleRate: number): Promise<string> {
  let final: string | null = null
  const open = speech.recognizer(spec(voice), sampleRate)
  const recognizer = open?.({
    onText(text, isFinal) {
      if (isFinal) final = final === null ? text : `${final} ${text}`
    },
    onFailed: () => {
      throw new Error('the recognizer failed')
    },
  })
  const silence = new Int16Array(sampleRate / 2)
  const all = Int16Array.from([...silence, ...pcm, ...silence])
  const step = sampleRate / 50
  for (let at = 0; at < all.length; at += step) recognizer?.push(all.slice(at, at + step))
  recognizer?.flush()
  const text = await eventually(() => final)
  recognizer?.close()
  return text
}

/** Through a telephone: 8 kHz, mu-law, and back. */
function throughTelephone(pcm: Int16Array): Int16Array {
  const narrow = createResampler(16_000, 8_000).push(pcm)
  return decodeMuLaw(encodeMuLaw(narrow))
}

async function errorRate(voice: string, listen: (pcm: Int16Array) => Promise<string>): Promise<number> {
  let errors = 0
  let words = 0
  for (const sentence of sentences) {
    const said = soundsOf(sentence)
    const got = await listen(await say(voice, sentence, 16_000))
    errors += wordErrors(said, soundsOf(got))
    words += said.length
  }
  process.stderr.write(`${voice}: ${((100 * errors) / words).toFixed(1)} % of ${words} words\n`)
  return errors / words
}

it.each(['local/flite-slt', 'local/flite-rms'])('hears %s', async (voice) => {
  expect(await errorRate(voice, (pcm) => recognized(voice, pcm, 16_000))).toBeLessThanOrEqual(0.12)
})

it('hears a voice through a telephone', async () => {
  const voice = 'local/flite-slt'
  expect(await errorRate(voice, (pcm) => recognized(voice, throughTelephone(pcm), 8_000))).toBeLessThanOrEqual(0.2)
})

it('speaks faster when it is told so', async () => {
  const slow = await say('local/flite-slt', sentences[0] ?? '', 8_000)
  const synthesizer = speech.synthesizer({ ...spec('local/flite-slt'), speech: { speed: 1.3, volume: 1 } }, 8_000)
  const { promise, resolve } = Promise.withResolvers<number>()
  synthesizer?.speak(
    { text: sentences[0] ?? '', isRetry: false },
    { onAudio: (pcm) => resolve(pcm.length), onEnd: () => undefined, onFailed: () => resolve(0) },
  )
  const share = (await promise) / slow.length
  expect(share).toBeGreaterThan(0.6)
  expect(share).toBeLessThan(0.9)
})
