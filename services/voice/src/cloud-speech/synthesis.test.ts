import type { ServerResponse } from 'node:http'
import { createToneReader } from '@ratchet/audio/readable-speech/create-tone-reader'
import { createToneSpeaker } from '@ratchet/audio/readable-speech/create-tone-speaker'
import { createGuardedUpstream } from '@ratchet/http/create-guarded-upstream'
import { eventually } from '@ratchet/testing/eventually'
import type { TimedWord } from '../heard/utterance.ts'
import { createHttpSynthesizer } from './http-synthesizer.ts'
import { deepgramVoice, elevenlabsVoice, openaiVoice } from './provider-voices.ts'
import {
  elevenlabsLines,
  type SpeechVendor,
  speakAsElevenlabs,
  startSpeechVendor,
  type VendorScript,
} from './speech-vendor.fixture.ts'
import type { SynthesisDialect } from './synthesis-dialect.ts'

const text = 'Your parcel arrives tomorrow.'
const lineRate = 16_000
const rules = { customHosts: true, allowedHosts: new Set<string>(), loopbackHttp: true }
const access = { apiKey: 'key-1' }
const dialects = {
  deepgram: deepgramVoice(access, { voice: 'aura-2-thalia-en', model: null }, { speed: 1, lineRate }),
  openai: openaiVoice(access, { voice: 'nova', model: 'tts-1' }, { speed: 1.2, lineRate }),
  elevenlabs: elevenlabsVoice(access, { voice: 'voice/1', model: 'eleven_flash_v2_5' }, { speed: 1.1, lineRate }),
}

let vendor: SpeechVendor | null = null
afterEach(() => vendor?.close())

interface Spoken {
  readonly pcm: number[]
  readonly words: TimedWord[]
  outcome: 'end' | 'failed' | null
  cancel: () => void
}

async function speak(dialect: SynthesisDialect, answer: VendorScript['answer'], rate = lineRate): Promise<Spoken> {
  vendor = await startSpeechVendor(answer === undefined ? {} : { answer })
  const place = { baseUrl: `${vendor.url}/base`, rules, connections: 2, connectTimeoutMs: 1_000 }
  const connection = createGuardedUpstream(place)
  const spoken: Spoken = { pcm: [], words: [], outcome: null, cancel: () => undefined }
  const synthesizer = createHttpSynthesizer({ connection, dialect, sampleRate: rate, onLost: () => undefined })
  spoken.cancel = synthesizer.speak(
    { text, isRetry: false },
    {
      onAudio(pcm, words) {
        spoken.pcm.push(...pcm)
        spoken.words.push(...words)
      },
      onEnd() {
        spoken.outcome = 'end'
      },
      onFailed() {
        spoken.outcome = 'failed'
      },
    },
  )
  return spoken
}

const readTones = (pcm: readonly number[], rate = lineRate) =>
  createToneReader(rate)
    .push(Int16Array.from([...pcm, ...Array(rate).fill(0)]))
    .map((word) => word.text)
    .join(' ')

/** Bytes in pieces that do not end with samples. */
function inPieces(response: ServerResponse, bytes: Buffer): void {
  response.writeHead(200)
  for (let at = 0; at < bytes.length; at += 777) response.write(bytes.subarray(at, at + 777))
  response.end()
}

const toneBytes = (rate: number) => Buffer.from(createToneSpeaker(rate).say(text).pcm.buffer)

it('speaks with Deepgram, at the rate of the line', async () => {
  const spoken = await speak(dialects.deepgram, (_request, response) => inPieces(response, toneBytes(lineRate)))
  await eventually(() => expect(spoken.outcome).toBe('end'))
  expect(readTones(spoken.pcm)).toBe(text)
  const [asked] = vendor?.requests ?? []
  expect(asked?.url).toBe('/base/v1/speak?model=aura-2-thalia-en&encoding=linear16&container=none&sample_rate=16000')
  expect(asked?.headers.authorization).toBe('Token key-1')
  expect(asked?.body).toEqual({ text })
  // Deepgram says no times: they are spread over the sound.
  expect(spoken.words.map((word) => word.text)).toEqual(text.split(' '))
  expect(spoken.words.at(-1)?.endMs).toBeLessThanOrEqual((spoken.pcm.length * 1_000) / lineRate)
})

it('speaks with OpenAI, whose rate is converted', async () => {
  const spoken = await speak(dialects.openai, (_request, response) => inPieces(response, toneBytes(24_000)), 8_000)
  await eventually(() => expect(spoken.outcome).toBe('end'))
  expect(readTones(spoken.pcm, 8_000)).toBe(text)
  const [asked] = vendor?.requests ?? []
  expect(asked?.url).toBe('/base/audio/speech')
  expect(asked?.headers.authorization).toBe('Bearer key-1')
  expect(asked?.body).toEqual({ model: 'tts-1', voice: 'nova', input: text, response_format: 'pcm', speed: 1.2 })
})

it('speaks with ElevenLabs, which says when each word ends', async () => {
  const spoken = await speak(dialects.elevenlabs, speakAsElevenlabs)
  await eventually(() => expect(spoken.outcome).toBe('end'))
  expect(readTones(spoken.pcm)).toBe(text)
  expect(spoken.words).toEqual(
    createToneSpeaker(lineRate)
      .say(text)
      .words.map(({ text: word, endMs }) => ({ text: word, endMs })),
  )
  const [asked] = vendor?.requests ?? []
  expect(asked?.url).toBe('/base/v1/text-to-speech/voice%2F1/stream/with-timestamps?output_format=pcm_16000')
  expect(asked?.headers['xi-api-key']).toBe('key-1')
  expect(asked?.body).toEqual({ text, model_id: 'eleven_flash_v2_5', voice_settings: { speed: 1.1 } })
})

it('passes audio on before the answer has ended', async () => {
  let finish: () => void = () => undefined
  const spoken = await speak(dialects.deepgram, (_request, response) => {
    const bytes = toneBytes(lineRate)
    response.writeHead(200)
    response.write(bytes.subarray(0, 8_000))
    finish = () => response.end(bytes.subarray(8_000))
  })
  await eventually(() => expect(spoken.pcm.length).toBeGreaterThan(3_000))
  expect(spoken.outcome).toBeNull()
  finish()
  await eventually(() => expect(spoken.outcome).toBe('end'))
})

it('stops an answer that was cancelled', async () => {
  let isClosed = false
  const spoken = await speak(dialects.deepgram, (_request, response) => {
    response.on('close', () => {
      isClosed = true
    })
    response.writeHead(200)
    response.write(toneBytes(lineRate).subarray(0, 8_000))
  })
  await eventually(() => expect(spoken.pcm.length).toBeGreaterThan(0))
  spoken.cancel()
  await eventually(() => expect(isClosed).toBe(true))
  expect(spoken.outcome).toBeNull()
})

describe.each<readonly [string, keyof typeof dialects, NonNullable<VendorScript['answer']>]>([
  ['refuses', 'deepgram', (_request, response) => response.writeHead(500).end('{"err":"x"}')],
  ['sends no audio', 'openai', (_request, response) => response.writeHead(200).end()],
  ['redirects', 'openai', (_request, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
  ['ends inside a sample', 'openai', (_request, response) => response.writeHead(200).end(Buffer.alloc(2_001))],
  [
    'cuts the connection',
    'deepgram',
    (_request, response) => {
      response.writeHead(200)
      response.write(Buffer.alloc(3_200), () => response.destroy())
    },
  ],
  [
    'never ends',
    'deepgram',
    (_request, response) => {
      response.writeHead(200)
      const write = () => {
        while (!response.destroyed && response.write(Buffer.alloc(64_000, 1)));
        if (!response.destroyed) response.once('drain', write)
      }
      write()
    },
  ],
  ['sends no JSON', 'elevenlabs', (_request, response) => response.writeHead(200).end('{"audio_base64": 1}\n')],
  [
    'sends a line without end',
    'elevenlabs',
    (_request, response) => {
      response.writeHead(200)
      response.write(`{"audio_base64": "${'A'.repeat(6_000_000)}`)
    },
  ],
])('a voice that %s', (_what, provider, answer) => {
  it('has failed', async () => {
    const spoken = await speak(dialects[provider], answer)
    await eventually(() => expect(spoken.outcome).toBe('failed'))
  })
})

it('reads times that count from the beginning of each part', async () => {
  const lines = elevenlabsLines(text)
  let fromMs = 0
  const relative = lines.map((line) => {
    const part = JSON.parse(line)
    const { alignment } = part
    alignment.character_end_times_seconds = alignment.character_end_times_seconds.map((s: number) => s - fromMs / 1_000)
    fromMs += 100
    return `${JSON.stringify(part)}\n`
  })
  const spoken = await speak(dialects.elevenlabs, (_request, response) =>
    response.writeHead(200).end(relative.join('')),
  )
  await eventually(() => expect(spoken.outcome).toBe('end'))
  const said = createToneSpeaker(lineRate).say(text).words
  for (const [i, { endMs }] of spoken.words.entries()) expect(Math.abs(endMs - (said[i]?.endMs ?? 0))).toBeLessThan(101)
})
