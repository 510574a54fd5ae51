import { createToneSpeaker } from '@ratchet/audio/readable-speech/create-tone-speaker'
import { eventually } from '@ratchet/testing/eventually'
import { createTestCall, joinCall, startTestWorker, type TestWorker } from '../calls/call-system.fixture.ts'
import { testWriters } from '../calls/test-writers.fixture.ts'
import { loadRates, shippedRatesDir } from '../money/price-book.ts'
import { type TestVoiceApp, voiceApp } from '../voice-app.fixture.ts'
import { loadVoices, pricedRecognizers, pricedVoices, shippedVoicesDir } from '../voices/installed-speech.ts'
import { listedVoices, simulatedVoice } from '../voices/voice-list.ts'
import {
  recognizeAsDeepgram,
  type SpeechVendor,
  speakAsElevenlabs,
  startSpeechVendor,
  type VendorScript,
} from './speech-vendor.fixture.ts'

const sampleRate = 16_000
let app: TestVoiceApp
const workers: TestWorker[] = []
const vendors: SpeechVendor[] = []
beforeAll(async () => {
  const rates = await loadRates(shippedRatesDir)
  const providers = new Set(['sim', 'deepgram', 'elevenlabs'])
  app = await voiceApp(undefined, {
    voiceList: listedVoices([simulatedVoice, ...pricedVoices(await loadVoices(shippedVoicesDir), rates, providers)]),
    recognizers: pricedRecognizers(rates, providers),
  })
})
afterAll(() => app.drop())
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()))
  await Promise.all(vendors.splice(0).map((vendor) => vendor.close()))
})

const agent = { voice: 'elevenlabs/sarah', first_message: 'Hello there.', stt: { keywords: ['parcel'] } }
const writers = testWriters(() => 'Your parcel arrives tomorrow.')

async function start(deepgram: VendorScript, elevenlabs: VendorScript) {
  const [heard, spoken] = await Promise.all([startSpeechVendor(deepgram), startSpeechVendor(elevenlabs)])
  vendors.push(heard, spoken)
  const speech = {
    DEEPGRAM_API_KEY: 'dg',
    DEEPGRAM_BASE_URL: heard.url,
    ELEVENLABS_API_KEY: 'el',
    ELEVENLABS_BASE_URL: spoken.url,
  }
  const worker = await startTestWorker({ databaseUrl: app.databaseUrl, money: app.money.money, writers, speech })
  workers.push(worker)
  return { worker, heard, spoken }
}

const toneBytes = (text: string) => Buffer.from(createToneSpeaker(sampleRate).say(text).pcm.buffer)

const get = async (id: string) => (await app.send('get', `/v1/calls/${id}`)).body
const ended = (id: string) =>
  eventually(async () => {
    const call = await get(id)
    expect(call.ended_at).not.toBeNull()
    return call
  })

it('holds a call with the speech of two providers, and writes what was heard', async () => {
  const { worker, heard, spoken } = await start(
    { onSocket: (socket) => recognizeAsDeepgram(socket, sampleRate) },
    { answer: speakAsElevenlabs },
  )
  const { call } = await createTestCall(app, { agent })
  const caller = joinCall(call, worker)
  await eventually(() => expect(caller.ear.join(' ')).toBe('Hello there.'))
  caller.speak('Where is my parcel?')
  await eventually(() => expect(caller.ear.join(' ')).toBe('Hello there. Your parcel arrives tomorrow.'))
  await eventually(() => caller.messages.some((each) => each.type === 'state' && each.state === 'listening'))
  caller.hangUp()
  const { transcript } = await ended(call.id)
  expect(transcript.map((turn: { role: string; text: string }) => [turn.role, turn.text])).toEqual([
    ['agent', 'Hello there.'],
    ['caller', 'Where is my parcel?'],
    ['agent', 'Your parcel arrives tomorrow.'],
  ])
  expect(new URL(heard.sockets[0]?.url ?? '', heard.url).searchParams.get('keyterm')).toBe('parcel')
  expect(spoken.requests[0]?.url).toContain('/v1/text-to-speech/EXAVITQu4vr4xnSDxMaL/')
})

it('ends a call whose recognizer is away with a spoken line', async () => {
  const { worker } = await start({ refuse: () => 401 }, { answer: speakAsElevenlabs })
  const { call } = await createTestCall(app, { agent })
  const caller = joinCall(call, worker)
  const { ended_reason: reason, transcript } = await ended(call.id)
  expect(reason).toBe('stt_failed')
  expect(transcript.at(-1)).toMatchObject({ role: 'agent' })
  expect(caller.ear.join(' ')).toContain('something went wrong')
}, 60_000)

it('finishes a clause with the voice of another provider', async () => {
  const deepgramSpeaks: VendorScript = {
    onSocket: (socket) => recognizeAsDeepgram(socket, sampleRate),
    answer({ body }, response) {
      // The voice of Deepgram has no times, and no container.
      const audio = toneBytes(body.text)
      response.writeHead(200).end(audio)
    },
  }
  const { worker, heard } = await start(deepgramSpeaks, {
    answer: (_request, response) => response.writeHead(429).end(),
  })
  const { call } = await createTestCall(app, { agent })
  const caller = joinCall(call, worker)
  await eventually(() => expect(caller.ear.join(' ')).toBe('Hello there.'))
  expect(heard.requests[0]?.url).toContain('/v1/speak?model=aura-2-thalia-en')
  caller.hangUp()
  expect((await ended(call.id)).transcript[0]).toMatchObject({ text: 'Hello there.' })
})

it('ends a call without any voice', async () => {
  const { worker } = await start(
    {
      onSocket: (socket) => recognizeAsDeepgram(socket, sampleRate),
      answer: (_request, response) => response.writeHead(500).end(),
    },
    { answer: (_request, response) => response.writeHead(500).end() },
  )
  const { call } = await createTestCall(app, { agent })
  joinCall(call, worker)
  expect((await ended(call.id)).ended_reason).toBe('tts_failed')
})

it.each([
  [{ stt: { provider: 'nobody' } }, 'stt'],
  [{ stt: { provider: 'deepgram', model: 'nova-1' } }, 'stt'],
  [{ stt: { provider: 'openai' } }, 'stt'],
  [{ voice: 'sim/readable', stt: { keywords: ['parcel'] } }, 'stt'],
  [{ voice: 'sim/readable', stt: { model: 'tones' } }, 'stt'],
  [{ speech: { speed: 1.25 } }, 'speech'],
  [{ speech: { volume: 1.5 } }, 'speech'],
])('refuses an agent with %j', async (changes, field) => {
  const body = { name: 'a', system_prompt: 'b', language: 'en-US', model: 'sim/assistant', voice: 'elevenlabs/sarah' }
  const { status, body: answer } = await app.send('post', '/v1/agents', { body: { ...body, ...changes } })
  expect(status).toBe(400)
  expect(answer.error.message).toContain(field)
})

it('lists voices with their prices, and refuses those whose provider has no key', async () => {
  const { body } = await app.send('get', '/v1/voices?provider=openai')
  expect(body.data.length).toBeGreaterThan(3)
  expect(body.data[0]).toMatchObject({ available: false, usd_per_1000_characters: 0.015 })
  const refused = await app.send('post', '/v1/agents', {
    body: { name: 'a', system_prompt: 'b', language: 'en-US', model: 'sim/assistant', voice: body.data[0].id },
  })
  expect([refused.status, refused.body.error.code]).toEqual([400, 'INVALID_VOICE'])
})
