import type { Cell, SurfaceName } from './matrix.ts'
import type { Tokens } from './prices.ts'

export const question = 'Why does the kettle in the kitchen whistle louder before it boils?'
export const documents = ['Steam escapes through the spout.', 'The kitchen has a window.', 'Water boils at 100 °C.']

type MediaName = Extract<SurfaceName, 'moderations' | 'images' | 'speech' | 'transcriptions'>

export const mediaPaths: Readonly<Record<MediaName, string>> = {
  moderations: '/v1/moderations',
  images: '/v1/images/generations',
  speech: '/v1/audio/speech',
  transcriptions: '/v1/audio/transcriptions',
}

const images = 2
/** The most tokens of an image, by the simulated catalog. */
const maxImageTokens = 6_240
/** Seconds of the sound; a part of a second is paid as a whole one. */
const soundSeconds = 2.5

export const mediaQuestions = {
  moderations: () => ({ input: [question, ...documents] }),
  images: () => ({ prompt: question, n: images, quality: 'low' }),
  speech: () => ({ input: question, voice: 'alloy' }),
  transcriptions: () => ({}),
}

/** The form of a transcription: its fields, and a silent WAV file. */
export function formOf(fields: Readonly<Record<string, unknown>>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, String(value))
  form.set('file', new Blob([silence()]), 'silence.wav')
  return form
}

function silence(): Uint8Array<ArrayBuffer> {
  const rate = 8_000
  const bytes = Buffer.alloc(44 + rate * soundSeconds, 0x80)
  bytes.write('RIFF....WAVEfmt ', 0, 'latin1')
  bytes.writeUInt32LE(16, 16)
  bytes.writeUInt32LE(0x0001_0001, 20) // PCM, one channel
  bytes.writeUInt32LE(rate, 24)
  bytes.writeUInt32LE(rate, 28)
  bytes.writeUInt32LE(0x0008_0001, 32) // a byte for each sample
  bytes.write('data', 36, 'latin1')
  bytes.writeUInt32LE(rate * soundSeconds, 40)
  return new Uint8Array(bytes)
}

interface ReportedUsage {
  readonly prompt_tokens: number
  readonly completion_tokens: number
}

/** What a cell must pay for: what the provider reported or, when it reports nothing, what is counted of the request. */
export function mediaTokens(
  { surface, condition, model }: Cell,
  reported: ReportedUsage | null,
  count: (texts: readonly string[]) => number,
): Tokens {
  if (surface === 'speech') return { prompt: 0, completion: 0, units: question.length }
  if (surface === 'transcriptions') return { prompt: 0, completion: 0, units: Math.ceil(soundSeconds) }
  if (model === 'image-flat') return { prompt: 0, completion: 0, units: images }
  if (condition === 'zero usage') return { prompt: 0, completion: 0 }
  if (condition !== 'missing usage') {
    return { prompt: reported?.prompt_tokens ?? 0, completion: reported?.completion_tokens ?? 0 }
  }
  return surface === 'images'
    ? { prompt: count([question]), completion: maxImageTokens * images }
    : { prompt: count([question, ...documents]), completion: 0 }
}
