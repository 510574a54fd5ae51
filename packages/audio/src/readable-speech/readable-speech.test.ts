import fc from 'fast-check'
import { createResampler } from '../create-resampler.ts'
import { decodeALaw, decodeMuLaw, encodeALaw, encodeMuLaw } from '../g711.ts'
import { createToneReader, readTones } from './create-tone-reader.ts'
import { createToneSpeaker, toneSpeechMs } from './create-tone-speaker.ts'
import { addNoise, seededRandom } from './noise.fixture.ts'

const sentence =
  'Good morning, you have reached the service desk of Ratchet. How can I help you today with your order number 4711?'
const wordsOf = (text: string) => text.split(/\s+/).filter(Boolean)
const read = (pcm: Int16Array, rate = 8_000) => readTones(pcm, rate).map(({ text }) => text)

/** Silence before the sound, so that it is not aligned to anything. */
const shifted = (pcm: Int16Array, samples: number) => {
  const later = new Int16Array(samples + pcm.length)
  later.set(pcm, samples)
  return later
}

it('speaks about 200 words a minute', () => {
  const { pcm, words } = createToneSpeaker(8_000).say(sentence)
  expect(words.map(({ text }) => text)).toEqual(wordsOf(sentence))
  expect(pcm.length / 8).toBe(toneSpeechMs(sentence))
  expect((words.length * 60_000) / toneSpeechMs(sentence)).toBeGreaterThan(190)
})

it.each([8_000, 16_000, 24_000])('reads every word at %d hertz, where it says that it was', (rate) => {
  const { pcm, words } = createToneSpeaker(rate).say(sentence)
  const found = readTones(shifted(pcm, 0.1 * rate), rate)
  expect(found.map(({ text }) => text)).toEqual(wordsOf(sentence))
  for (const [i, { startMs, endMs, lostBefore }] of found.entries()) {
    expect(Math.abs(startMs - 100 - (words[i]?.startMs ?? 0))).toBeLessThan(1.5)
    expect(Math.abs(endMs - 100 - (words[i]?.endMs ?? 0))).toBeLessThan(1.5)
    expect(lostBefore).toBe(0)
  }
})

it('reads words through G.711, other sample rates and 10 dB of noise, at any alignment', () => {
  const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 9 }).filter((text) => /^\S+$/u.test(text))
  fc.assert(
    fc.property(fc.array(word, { maxLength: 8 }), fc.nat({ max: 500 }), fc.nat(), (words, shift, seed) => {
      const text = words.join(' ')
      const { pcm } = createToneSpeaker(16_000).say(text)
      const narrow = createResampler(16_000, 8_000).push(shifted(pcm, shift))
      const onTheLine = decodeMuLaw(encodeMuLaw(addNoise(narrow, 10, seededRandom(seed))))
      const wide = createResampler(8_000, 24_000).push(decodeALaw(encodeALaw(onTheLine)))
      expect(read(shifted(wide, 7), 24_000)).toEqual(wordsOf(text))
      expect(read(onTheLine)).toEqual(wordsOf(text))
    }),
    { numRuns: 100 },
  )
})

it('reads, of a text that is cut anywhere, the words that ended before the cut', () => {
  const { pcm, words } = createToneSpeaker(8_000).say(sentence)
  fc.assert(
    fc.property(fc.integer({ min: 0, max: pcm.length }), fc.boolean(), (cut, isSilentAfter) => {
      const heard = pcm.slice(0, isSilentAfter ? pcm.length : cut).fill(0, cut)
      const found = read(heard)
      const isWhole = words.filter(({ endMs }) => endMs * 8 <= cut)
      // The last tone of a word is read when nearly all of it was heard.
      const nearlyWhole = words.filter(({ endMs }) => (endMs - 10) * 8 <= cut)
      expect(wordsOf(sentence).slice(0, found.length)).toEqual(found)
      expect(found.length).toBeGreaterThanOrEqual(isWhole.length)
      expect(found.length).toBeLessThanOrEqual(nearlyWhole.length)
    }),
    { numRuns: 200 },
  )
})

it('reads the same words however the stream is cut into pieces, and finds those after what was cut off', () => {
  const speaker = createToneSpeaker(8_000)
  const [first, second] = [speaker.say('this will be cut off'), speaker.say('and this follows')]
  const stream = Int16Array.from([...first.pcm.subarray(0, 5_000), ...second.pcm])
  const whole = readTones(stream, 8_000)
  expect(whole.map(({ text }) => text)).toEqual(['this', 'will', 'and', 'this', 'follows'])
  expect(whole[2]?.lostBefore).toBe(3)
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000 }), (piece) => {
      const reader = createToneReader(8_000)
      const found = []
      for (let at = 0; at < stream.length; at += piece) found.push(...reader.push(stream.subarray(at, at + piece)))
      expect(found).toEqual(whole)
    }),
    { numRuns: 20 },
  )
})

it('reads speech that becomes quieter by 12 dB between two tones', () => {
  const { pcm } = createToneSpeaker(8_000).say('softer')
  for (let at = 0; at < pcm.length; at += 160) {
    const quieter = pcm.map((sample, i) => (i < at ? sample : Math.round(sample / 4)))
    expect(read(quieter)).toEqual(['softer'])
  }
})

it('reads long words whole or not at all', () => {
  const text =
    'see Donaudampfschifffahrtsgesellschaftskapitänsmütze and pneumonoultramicroscopicsilicovolcanoconiosis now'
  const { pcm, words } = createToneSpeaker(8_000).say(text)
  expect(read(pcm)).toEqual(wordsOf(text))
  // Without the first part of the second word.
  const { startMs } = words[1]!
  expect(read(pcm.slice().fill(0, startMs * 8, (startMs + 100) * 8))).toEqual([
    text.split(' ')[0],
    ...wordsOf(text).slice(2),
  ])
})

it('reads only words that were spoken when packets are lost', () => {
  const text = Array.from({ length: 4 }, () => sentence).join(' ')
  const { pcm } = createToneSpeaker(8_000).say(text)
  const counts = [0.01, 0.03, 0.05].map((lossShare) => {
    const random = seededRandom(1)
    const received = pcm.slice()
    for (let at = 0; at < pcm.length; at += 160) if (random() < lossShare) received.fill(0, at, at + 160)
    const found = read(received)
    let from = 0
    for (const word of found) {
      const place = wordsOf(text).indexOf(word, from)
      expect(place).toBeGreaterThanOrEqual(0)
      from = place + 1
    }
    return found.length / wordsOf(text).length
  })
  expect(counts[0]).toBeGreaterThan(0.75)
  expect(counts[2]).toBeGreaterThan(0.4)
})

it('reads nothing from silence, noise, a telephone tone or its own data tones', () => {
  const random = seededRandom(3)
  expect(read(new Int16Array(80_000))).toEqual([])
  expect(read(Int16Array.from({ length: 80_000 }, () => 20_000 * (random() - 0.5)))).toEqual([])
  expect(read(Int16Array.from({ length: 8_000 }, (_, i) => 9_000 * Math.sin((2 * Math.PI * 440 * i) / 8_000)))).toEqual(
    [],
  )
})
