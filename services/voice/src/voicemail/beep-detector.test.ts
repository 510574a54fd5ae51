import { createToneSpeaker } from '@ratchet/audio/readable-speech/create-tone-speaker'
import { createBeepDetector } from './beep-detector.ts'

const sampleRate = 8_000

/** Sines of equal loudness. */
function tones(hertz: readonly number[], ms: number, amplitude = 8_000): Int16Array {
  const samples = (ms * sampleRate) / 1_000
  return Int16Array.from({ length: samples }, (_, i) => {
    const sum = hertz.reduce((all, each) => all + Math.sin((2 * Math.PI * each * i) / sampleRate), 0)
    return Math.round((amplitude * sum) / Math.max(1, hertz.length))
  })
}

/** In frames of 20 ms, with silence behind it. */
function endedBeeps(sound: Int16Array): number {
  const detector = createBeepDetector(sampleRate)
  const all = Int16Array.from([...sound, ...new Int16Array(1_600)])
  let found = 0
  for (let at = 0; at < all.length; at += 160) if (detector.push(all.subarray(at, at + 160))) found++
  return found
}

it.each([400, 440, 620, 862, 1_000, 1_337, 1_400, 2_100])('finds a beep of %d Hz when it has ended', (hertz) => {
  expect(endedBeeps(tones([hertz], 500))).toBe(1)
})

it('takes a beep for what it is, also when it is quiet or parts of it are noise', () => {
  expect(endedBeeps(tones([1_000], 500, 400))).toBe(1)
  const noisy = tones([1_000], 500).map((sample, i) => sample + (((i * 7_919) % 2_001) - 1_000))
  expect(endedBeeps(noisy)).toBe(1)
})

it.each([
  ['a short signal', tones([1_000], 250)],
  ['silence', new Int16Array(8_000)],
  ['the two tones of a key', tones([770, 1_336], 600)],
  ['a tone below those of mailboxes', tones([200], 600)],
  ['a voice with overtones', tones([220, 440, 660, 880, 1_100], 900)],
  ['speech in tones', createToneSpeaker(sampleRate).say('Hello, who is speaking there please?').pcm],
])('takes %s for none', (_what, sound) => {
  expect(endedBeeps(sound)).toBe(0)
})
