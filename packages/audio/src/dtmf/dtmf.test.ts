import fc from 'fast-check'
import { decodeMuLaw, encodeMuLaw } from '../g711.ts'
import { createToneSpeaker } from '../readable-speech/create-tone-speaker.ts'
import { addNoise, seededRandom } from '../readable-speech/noise.fixture.ts'
import { createDtmfDetector } from './create-dtmf-detector.ts'
import { dtmfKeys, dtmfTone } from './dtmf-tones.ts'
import { createTelephoneEventReader, readTelephoneEvent, writeTelephoneEvent } from './telephone-event.ts'

const key = fc.constantFrom(...dtmfKeys)
const sampleRate = 8_000

it('finds every key once, through G.711 and noise, wherever it begins', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(key, fc.integer({ min: 80, max: 400 }), fc.integer({ min: 80, max: 300 })), { maxLength: 8 }),
      fc.nat(),
      (presses, seed) => {
        const pieces = presses.flatMap(([pressed, durationMs, pauseMs]) => [
          new Int16Array(pauseMs * 8),
          dtmfTone(pressed, { durationMs, sampleRate }),
        ])
        const sound = Int16Array.from([...pieces.flatMap((piece) => [...piece]), ...new Int16Array(800)])
        const heard = decodeMuLaw(encodeMuLaw(addNoise(sound, 15, seededRandom(seed))))
        const detector = createDtmfDetector(sampleRate)
        const found: string[] = []
        for (let at = 0; at < heard.length; at += 160) found.push(...detector.push(heard.subarray(at, at + 160)))
        expect(found).toEqual(presses.map(([pressed]) => pressed))
      },
    ),
    { numRuns: 60 },
  )
})

it('finds no key in tones that stand for speech, in noise or in silence', () => {
  const random = seededRandom(5)
  const detector = createDtmfDetector(sampleRate)
  expect(detector.push(createToneSpeaker(sampleRate).say('nothing of this is a key of a telephone').pcm)).toEqual([])
  expect(detector.push(Int16Array.from({ length: 40_000 }, () => 20_000 * (random() - 0.5)))).toEqual([])
  expect(detector.push(new Int16Array(8_000))).toEqual([])
  expect(() => dtmfTone('X', { durationMs: 100, sampleRate })).toThrow(RangeError)
})

it('reads back the events that it writes', () => {
  fc.assert(
    fc.property(key, fc.boolean(), fc.nat({ max: 0xffff }), (pressed, isEnd, duration) => {
      const event = { key: pressed, isEnd, duration }
      expect(readTelephoneEvent(writeTelephoneEvent(event))).toEqual(event)
    }),
  )
  expect(readTelephoneEvent(Uint8Array.of(16, 0, 0, 0))).toBeNull()
  expect(readTelephoneEvent(Uint8Array.of(1, 0, 0))).toBeNull()
})

it('counts a press once whichever of its packets arrive', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(key, fc.uniqueArray(fc.nat({ max: 5 }), { minLength: 1 })), { maxLength: 10 }),
      fc.nat({ max: 0xffff_ffff }),
      (presses, first) => {
        const reader = createTelephoneEventReader()
        const read = presses.flatMap(([pressed, packets], i) => {
          const timestamp = (first + i * 4_000) >>> 0
          return packets.flatMap((packet) => {
            const payload = writeTelephoneEvent({ key: pressed, isEnd: packet > 2, duration: 160 * (packet + 1) })
            return reader.push(timestamp, payload) ?? []
          })
        })
        expect(read).toEqual(presses.map(([pressed]) => pressed))
      },
    ),
  )
})
