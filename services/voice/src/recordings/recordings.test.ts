import { decodeMuLaw } from '@ratchet/audio/g711'
import { createToneReader } from '@ratchet/audio/readable-speech/create-tone-reader'
import { createToneSpeaker } from '@ratchet/audio/readable-speech/create-tone-speaker'
import { eventually } from '@ratchet/testing/eventually'
import type { CallTransport } from '../engine/ports.ts'
import { type CallRecorderDeps, createCallRecorder } from './call-recorder.ts'
import { partsOf, rangeOf, waveBytes, waveHeader, waveHeaderBytes } from './wave.ts'

const sampleRate = 8_000
const frameSamples = 160

function recorderWith(write: CallRecorderDeps['write'] = async () => true) {
  const chunks: { readonly atMs: number; readonly samples: number; readonly audio: Uint8Array }[] = []
  const played: number[] = []
  let ticks = 0
  const recorder = createCallRecorder({
    sampleRate,
    waits: false,
    atMs: () => ticks * 20,
    write: (chunk) => {
      chunks.push(chunk)
      return write(chunk)
    },
    onError: () => undefined,
  })
  const line: CallTransport = {
    sampleRate,
    play: (utterance) => played.push(utterance),
    clear: () => undefined,
    setVolume: () => undefined,
    hangUp: () => undefined,
  }
  const tick = (count: number) => {
    for (let i = 0; i < count; i++, ticks++) recorder.tick()
  }
  const skip = (count: number) => {
    ticks += count
  }
  return { recorder, transport: recorder.record(line), chunks, played, tick, skip }
}

function sides(chunks: readonly { readonly audio: Uint8Array }[]): readonly [Int16Array, Int16Array] {
  const both = decodeMuLaw(Buffer.concat(chunks.map(({ audio }) => audio)))
  const side = (first: number) => Int16Array.from({ length: both.length / 2 }, (_, i) => both[2 * i + first] ?? 0)
  return [side(0), side(1)]
}

const wordsIn = (pcm: Int16Array) =>
  createToneReader(sampleRate)
    .push(pcm)
    .map(({ text }) => text)
    .join(' ')

it('records the caller left and the agent right, a chunk each second', async () => {
  const { recorder, transport, chunks, played, tick } = recorderWith()
  const caller = createToneSpeaker(sampleRate).say('hello there').pcm
  const agent = createToneSpeaker(sampleRate).say('how are you').pcm
  transport.play(1, agent)
  for (let at = 0; at < caller.length; at += frameSamples) {
    recorder.push(caller.slice(at, at + frameSamples))
    tick(1)
  }
  tick(150)
  await recorder.close()
  const [left, right] = sides(chunks)
  expect([wordsIn(left), wordsIn(right), played]).toEqual(['hello there', 'how are you', [1]])
  expect(chunks.slice(0, -1).every(({ samples }) => samples === sampleRate)).toBe(true)
  expect(chunks.slice(0, 3).map(({ atMs }) => atMs)).toEqual([0, 1_000, 2_000])
})

it('does not record what the caller was not played', async () => {
  const { recorder, transport, chunks, tick } = recorderWith()
  const { pcm, words } = createToneSpeaker(sampleRate).say('one two three four five six')
  transport.play(1, pcm)
  const heardMs = (words[1]?.endMs ?? 0) + 40
  tick(Math.ceil(heardMs / 20))
  transport.clear(1)
  transport.play(1, pcm)
  tick(200)
  await recorder.close()
  expect(wordsIn(sides(chunks)[1])).toBe('one two')
})

it('records a lowered voice as it is heard', async () => {
  const { recorder, transport, chunks, tick } = recorderWith()
  transport.play(1, new Int16Array(sampleRate * 2).fill(8_000))
  tick(50)
  transport.setVolume(-12)
  tick(50)
  await recorder.close()
  const [, right] = sides(chunks)
  expect((right[12_000] ?? 0) / (right[4_000] ?? 1)).toBeCloseTo(10 ** (-12 / 20), 1)
})

it('keeps to the clock when ticks are missing: nothing was sent then', async () => {
  const { recorder, transport, chunks, tick, skip } = recorderWith()
  transport.play(1, new Int16Array(sampleRate).fill(8_000))
  tick(10)
  skip(50)
  tick(40)
  await recorder.close()
  const [, right] = sides(chunks)
  expect(right.length / sampleRate).toBeCloseTo(2, 1)
  const loud = (fromMs: number) => Math.abs(right[fromMs * 8] ?? 0) > 4_000
  expect([loud(100), loud(700), loud(1_500)]).toEqual([true, false, true])
})

it('stops when another worker holds the call, and goes on after an error', async () => {
  let answers = 0
  const { recorder, chunks, tick } = recorderWith(async () => {
    answers++
    if (answers === 1) throw new Error('the store is away')
    return answers < 3
  })
  tick(150)
  await eventually(() => expect(answers).toBe(3))
  tick(150)
  await recorder.close()
  expect(chunks).toHaveLength(3)
})

it('bounds what waits for a store that does not answer', async () => {
  const away = Promise.withResolvers<boolean>()
  const { recorder, chunks, tick } = recorderWith(() => away.promise)
  tick(50 * 100)
  away.resolve(true)
  await recorder.close()
  expect(chunks).toHaveLength(30)
})

it('writes the head of a WAV file with two channels of mu-law', () => {
  const head = waveHeader({ samples: 8_000, sampleRate })
  expect(head).toHaveLength(waveHeaderBytes)
  expect(head.toString('latin1', 0, 4) + head.toString('latin1', 8, 16)).toBe('RIFFWAVEfmt ')
  expect(head.readUInt32LE(4)).toBe(waveBytes(8_000) - 8)
  expect([head.readUInt16LE(20), head.readUInt16LE(22), head.readUInt32LE(24)]).toEqual([7, 2, 8_000])
  expect(head.readUInt32LE(54)).toBe(16_000)
})

it.each<readonly [string | undefined, ReturnType<typeof rangeOf>]>([
  [undefined, null],
  ['bytes=0-', { from: 0, to: 99 }],
  ['bytes=10-19', { from: 10, to: 19 }],
  ['bytes=90-1000', { from: 90, to: 99 }],
  ['bytes=-10', { from: 90, to: 99 }],
  ['bytes=-1000', { from: 0, to: 99 }],
  ['bytes=-0', null],
  ['bytes=100-', null],
  ['bytes=20-10', null],
  ['bytes=0-1,5-6', null],
  ['bytes=-', null],
  ['lines=1-2', null],
  ['bytes=99999999999999999999-', null],
])('reads the range %s of 100 bytes', (header, range) => {
  expect(rangeOf(header, 100)).toEqual(range)
})

it('finds the parts of chunks that a range needs', () => {
  const chunks = [
    { number: 0, fromSample: 0, samples: 100 },
    { number: 1, fromSample: 100, samples: 100 },
  ]
  const at = waveHeaderBytes
  expect(partsOf(chunks, { from: 0, to: at - 1 })).toEqual([])
  expect(partsOf(chunks, { from: 0, to: at })).toEqual([{ number: 0, from: 0, to: 1 }])
  expect(partsOf(chunks, { from: at + 199, to: at + 200 })).toEqual([
    { number: 0, from: 199, to: 200 },
    { number: 1, from: 0, to: 1 },
  ])
  expect(partsOf(chunks, { from: at + 400, to: at + 500 })).toEqual([])
})
