import { createToneSpeaker } from '@ratchet/audio/readable-speech/create-tone-speaker'
import { openGuardedSocket } from '@ratchet/http/open-guarded-socket'
import { eventually } from '@ratchet/testing/eventually'
import type { WebSocket } from 'ws'
import type { Recognizer } from '../engine/ports.ts'
import { deepgramRecognition } from './deepgram-recognition.ts'
import { openaiRecognition } from './openai-recognition.ts'
import type { RecognitionDialect, RecognitionOrder } from './recognition-dialect.ts'
import {
  deepgramResult,
  recognizeAsDeepgram,
  type SpeechVendor,
  sendJson,
  startSpeechVendor,
  type VendorScript,
} from './speech-vendor.fixture.ts'
import { openStreamRecognizer } from './stream-recognizer.ts'

const sampleRate = 16_000
const rules = { customHosts: true, allowedHosts: new Set<string>(), loopbackHttp: true }
const order: RecognitionOrder = { model: 'nova-3', language: 'en-US', keywords: ['Ratchet', 'two words'], sampleRate }

/** Time passes faster, so that waits of seconds are tested in parts of them. */
const speed = 20
const vendors: SpeechVendor[] = []
const recognizers: Recognizer[] = []
afterEach(async () => {
  for (const recognizer of recognizers.splice(0)) recognizer.close()
  await Promise.all(vendors.splice(0).map((vendor) => vendor.close()))
})

async function vendor(script: VendorScript): Promise<SpeechVendor> {
  const started = await startSpeechVendor(script)
  vendors.push(started)
  return started
}

function recognize(dialects: readonly [RecognitionDialect, ...RecognitionDialect[]], isFast = true) {
  const heard: (readonly [string, boolean])[] = []
  const lost: string[] = []
  let failures = 0
  const factor = isFast ? speed : 1
  const recognizer = openStreamRecognizer(
    {
      dialects,
      sampleRate,
      open: openGuardedSocket,
      schedule(callback, delayMs) {
        const timer = setTimeout(callback, delayMs / factor)
        return () => clearTimeout(timer)
      },
      nowMs: () => performance.now() * factor,
      onLost: (reason) => lost.push(reason),
    },
    { onText: (text, isFinal) => heard.push([text, isFinal]), onFailed: () => failures++ },
  )
  recognizers.push(recognizer)
  return { recognizer, heard, lost, failures: () => failures }
}

const deepgram = ({ url: baseUrl }: SpeechVendor) => deepgramRecognition({ baseUrl, rules, apiKey: 'dg-key' }, order)

/** Speech in the language of tones, as frames of 20 ms. */
function framesOf(text: string): Int16Array[] {
  const { pcm } = createToneSpeaker(sampleRate).say(text)
  const frames: Int16Array[] = []
  for (let at = 0; at < pcm.length; at += 320) frames.push(pcm.slice(at, at + 320))
  return frames
}

it('asks Deepgram for the model, language and keywords of the agent, and hears every word', async () => {
  const server = await vendor({ onSocket: (socket) => recognizeAsDeepgram(socket, sampleRate) })
  const { recognizer, heard } = recognize([deepgram(server)], false)
  for (const frame of framesOf('where is my parcel')) recognizer.push(frame)
  await eventually(() => expect(heard.at(-1)).toEqual(['where is my parcel', false]))
  recognizer.flush()
  await eventually(() => expect(heard.at(-1)).toEqual(['where is my parcel', true]))
  const [asked] = server.sockets
  const { searchParams, pathname } = new URL(asked?.url ?? '', server.url)
  expect(pathname).toBe('/v1/listen')
  expect(Object.fromEntries(searchParams)).toMatchObject({
    model: 'nova-3',
    language: 'en-US',
    encoding: 'linear16',
    sample_rate: '16000',
    interim_results: 'true',
  })
  expect(searchParams.getAll('keyterm')).toEqual(['Ratchet', 'two words'])
  expect(asked?.headers.authorization).toBe('Token dg-key')
})

it('gives older models of Deepgram keywords', () => {
  const { path } = deepgramRecognition(
    { baseUrl: 'https://api.deepgram.com', rules, apiKey: 'k' },
    { ...order, model: 'nova-2' },
  )
  expect(new URLSearchParams(path.split('?')[1]).getAll('keywords')).toEqual(['Ratchet', 'two words'])
})

it('speaks the realtime transcription of OpenAI', async () => {
  const got: { type: string; [key: string]: unknown }[] = []
  const server = await vendor({
    onSocket(socket) {
      socket.on('message', (data) => {
        const message = JSON.parse(String(data))
        got.push(message)
        if (message.type === 'session.update') sendJson(socket, { type: 'session.updated', session: {} })
        if (message.type !== 'input_audio_buffer.commit') return
        const part = { item_id: 'item_1', content_index: 0 }
        const type = 'conversation.item.input_audio_transcription'
        sendJson(socket, { type: 'input_audio_buffer.committed', item_id: 'item_1' })
        sendJson(socket, { type: `${type}.delta`, ...part, delta: 'Hel' })
        sendJson(socket, { type: `${type}.delta`, ...part, delta: 'lo' })
        sendJson(socket, { type: `${type}.completed`, ...part, transcript: 'Hello.' })
      })
    },
  })
  const dialect = openaiRecognition(
    { baseUrl: `${server.url}/v1`, rules, apiKey: 'sk-1' },
    { ...order, model: 'gpt-live-transcribe' },
  )
  const { recognizer, heard } = recognize([dialect], false)
  const frames = framesOf('hello')
  for (const frame of frames) recognizer.push(frame)
  recognizer.flush()
  await eventually(() =>
    expect(heard).toEqual([
      ['Hel', false],
      ['Hello', false],
      ['Hello.', true],
    ]),
  )
  expect(server.sockets[0]?.url).toBe('/v1/realtime?intent=transcription')
  expect(server.sockets[0]?.headers.authorization).toBe('Bearer sk-1')
  expect(got[0]).toEqual({
    type: 'session.update',
    session: {
      type: 'transcription',
      audio: {
        input: {
          format: { type: 'audio/pcm', rate: 24_000 },
          transcription: { model: 'gpt-live-transcribe', language: 'en', keywords: ['Ratchet', 'two words'] },
          turn_detection: null,
        },
      },
    },
  })
  const audio = got.filter(({ type }) => type === 'input_audio_buffer.append')
  const samples = audio.reduce((sum, { audio: base64 }) => sum + Buffer.from(String(base64), 'base64').length / 2, 0)
  // The filter that converts the rate holds a few milliseconds back.
  expect(samples / 24_000).toBeCloseTo((frames.length * 320) / sampleRate, 1)
})

it('opens a cut connection again within half a second, and loses no word', async () => {
  const server = await vendor({
    onSocket(socket, count) {
      recognizeAsDeepgram(socket, sampleRate)
      if (count === 0) setTimeout(() => socket.terminate(), 60)
    },
  })
  const { recognizer, heard, lost } = recognize([deepgram(server)], false)
  const frames = framesOf('one two three four five six seven')
  await eventually(() => expect(server.sockets).toHaveLength(1))
  const half = Math.floor(frames.length / 2)
  for (const frame of frames.slice(0, half)) recognizer.push(frame)
  await eventually(() => expect(lost).toHaveLength(1))
  for (const frame of frames.slice(half)) recognizer.push(frame)
  recognizer.flush()
  await eventually(() => expect(heard.at(-1)).toEqual(['one two three four five six seven', true]), {
    withinMs: 2_000,
  })
  expect(server.sockets).toHaveLength(2)
})

it('does not send again what was final', async () => {
  const bytes: number[] = [0, 0]
  const server = await vendor({
    onSocket(socket, count) {
      socket.on('message', (data: Buffer, isBinary) => {
        if (isBinary) bytes[count] = (bytes[count] ?? 0) + data.length
        if (count > 0 || bytes[0] !== 64_000) return
        // Of two seconds, one and a half are final.
        sendJson(socket, deepgramResult('first part', true, 1_500))
        socket.close()
      })
    },
  })
  const { recognizer } = recognize([deepgram(server)], false)
  await eventually(() => expect(server.sockets).toHaveLength(1))
  for (let i = 0; i < 100; i++) recognizer.push(new Int16Array(320))
  await eventually(() => expect(bytes[1]).toBe(16_000))
})

describe.each<readonly [string, (socket: WebSocket) => void]>([
  ['JSON that is none', (socket) => socket.send('{"type":')],
  ['JSON that is not documented', (socket) => sendJson(socket, { type: 'Results', is_final: 'yes' })],
  ['an error', (socket) => sendJson(socket, { type: 'Error', description: 'bad' })],
  ['a message of a megabyte', (socket) => socket.send('x'.repeat(1_048_576))],
  ['a text that is too long', (socket) => sendJson(socket, deepgramResult('word '.repeat(10_000), true))],
  [
    'a flood of messages',
    (socket) => {
      for (let i = 0; i < 1_000; i++) sendJson(socket, deepgramResult('', false))
    },
  ],
])('a provider that sends %s', (_what, misbehave) => {
  it('is left after two connections, and the next one hears', async () => {
    const bad = await vendor({ onSocket: misbehave })
    const good = await vendor({ onSocket: (socket) => recognizeAsDeepgram(socket, sampleRate) })
    const { recognizer, heard, failures } = recognize([deepgram(bad), deepgram(good)])
    for (const frame of framesOf('still here')) recognizer.push(frame)
    await eventually(() => expect(good.sockets.length).toBeGreaterThan(0))
    await eventually(() => {
      recognizer.flush()
      expect(heard.at(-1)).toEqual(['still here', true])
    })
    expect(bad.sockets).toHaveLength(2)
    expect(heard.every(([text]) => 'still here'.startsWith(text))).toBe(true)
    expect(failures()).toBe(0)
  })
})

it('leaves a provider that is silent although the caller speaks', async () => {
  const deaf = await vendor({})
  const good = await vendor({ onSocket: (socket) => recognizeAsDeepgram(socket, sampleRate) })
  const { recognizer, lost } = recognize([deepgram(deaf), deepgram(good)])
  await eventually(() => expect(deaf.sockets).toHaveLength(1))
  const loud = Int16Array.from({ length: 320 }, (_, i) => (i % 2 === 0 ? 2_000 : -2_000))
  await eventually(() => {
    for (let i = 0; i < 20; i++) recognizer.push(loud)
    expect(good.sockets).toHaveLength(1)
  })
  expect(deaf.sockets).toHaveLength(1)
  expect(lost).toEqual(['no message although the caller speaks'])
})

it('gives up after ten seconds without a provider that answers', async () => {
  const server = await vendor({ refuse: () => 503 })
  const { recognizer, failures, lost } = recognize([deepgram(server)])
  await eventually(() => expect(failures()).toBe(1))
  expect(lost.length).toBeGreaterThan(5)
  const before = server.sockets.length
  recognizer.push(new Int16Array(320))
  recognizer.flush()
  expect(server.sockets).toHaveLength(before)
})
