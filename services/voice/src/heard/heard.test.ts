import { readTones } from '@ratchet/audio/readable-speech/create-tone-reader'
import { createToneSpeaker } from '@ratchet/audio/readable-speech/create-tone-speaker'
import fc from 'fast-check'
import { spreadWords } from './spread-words.ts'
import { heardOf, type SpokenPiece, saidOf } from './utterance.ts'

const word = fc.stringMatching(/^[a-z]{1,9}[,.!?]?$/)
const texts = fc.array(fc.array(word, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 5 })

/** Clauses in the language of tones, and the audio of all of them. */
function speak(clauses: readonly (readonly string[])[]) {
  const speaker = createToneSpeaker(8_000)
  const spoken = clauses.map((words) => ({ text: words.join(' '), ...speaker.say(words.join(' ')) }))
  const pieces = spoken.map(({ text, pcm, words }): SpokenPiece => {
    return { text, spoken: text, durationMs: pcm.length / 8, isComplete: true, words }
  })
  return { pieces, pcm: Int16Array.from(spoken.flatMap((each) => [...each.pcm])) }
}

it('is, at any moment, exactly what a listener heard until then', () => {
  fc.assert(
    fc.property(texts, fc.double({ min: 0, max: 1, noNaN: true }), (clauses, share) => {
      const { pieces, pcm } = speak(clauses)
      const playedMs = Math.floor((pcm.length * share) / 8)
      const listened = readTones(pcm.slice(0, playedMs * 8), 8_000).map(({ text }) => text)
      const heard = heardOf(pieces, playedMs).text.split(' ').filter(Boolean)
      // The listener may have read the word that was cut in its last 20 ms.
      expect(listened.slice(0, heard.length)).toEqual(heard)
      expect(listened.length - heard.length).toBeLessThanOrEqual(1)
      if (listened.length > heard.length)
        expect(
          heardOf(pieces, playedMs + 20)
            .text.split(' ')
            .filter(Boolean),
        ).toEqual(listened)
    }),
    { numRuns: 200 },
  )
})

it('only grows, and is in the end all that was said', () => {
  fc.assert(
    fc.property(texts, (clauses) => {
      const { pieces, pcm } = speak(clauses)
      let before = ''
      for (let ms = 0; ms <= pcm.length / 8; ms += 50) {
        const { text } = heardOf(pieces, ms)
        expect(text.startsWith(before)).toBe(true)
        before = text
      }
      expect(heardOf(pieces, pcm.length / 8)).toEqual({
        text: saidOf(pieces),
        isWhole: true,
        wholePieces: pieces.length,
      })
    }),
    { numRuns: 50 },
  )
})

it('shows a whole clause as it was written and a cut one as it was spoken', () => {
  const words = ['fifty', 'percent', 'off'].map((text, i) => ({ text, endMs: 100 * (i + 1) }))
  const piece = { text: '**50 %** off!', spoken: 'fifty percent off!', durationMs: 350, isComplete: true, words }
  expect(heardOf([piece], 299).text).toBe('fifty percent')
  expect(heardOf([piece], 300)).toEqual({ text: '**50 %** off!', isWhole: true, wholePieces: 1 })
  expect(heardOf([{ ...piece, isComplete: false }], 300)).toMatchObject({ text: 'fifty percent off!', isWhole: false })
  expect(heardOf([piece], 99)).toEqual({ text: '', isWhole: false, wholePieces: 0 })
})

it('keeps the punctuation of a word whose synthesizer reports words without it', () => {
  const words = ['Well', 'yes', 'indeed'].map((text, i) => ({ text, endMs: 100 * (i + 1) }))
  const piece = {
    text: 'Well, "yes", indeed.',
    spoken: 'Well, "yes", indeed.',
    durationMs: 300,
    isComplete: true,
    words,
  }
  expect(heardOf([piece], 200).text).toBe('Well, "yes",')
})

it('spreads words over the sound of a clause', () => {
  const { pcm, words } = createToneSpeaker(8_000).say('all of these words take about the same time')
  const withSilence = Int16Array.from([...new Int16Array(4_000), ...pcm, ...new Int16Array(4_000)])
  const spread = spreadWords('all of these words take about the same time', withSilence, 8_000)
  expect(spread.map(({ text }) => text)).toEqual(words.map(({ text }) => text))
  for (const [i, { endMs }] of spread.entries()) expect(Math.abs(endMs - 500 - words[i]!.endMs)).toBeLessThan(300)
  expect(spreadWords('no sound', new Int16Array(800), 8_000)).toEqual([
    { text: 'no', endMs: expect.closeTo(28.6, 1) },
    { text: 'sound', endMs: 100 },
  ])
  expect(spreadWords('', pcm, 8_000)).toEqual([])
})

it.each([
  ['what can I do', ['a'], ''],
  ['what a day', ['what', 'a'], 'what a'],
  ['Hello, you there', ['Hello', 'you'], 'Hello, you'],
  ['\u4eca\u5929\u5929\u6c14\u597d', ['\u4eca\u5929', '\u5929\u6c14'], '\u4eca\u5929\u5929\u6c14'],
])('ends with a whole word: of %j, %j leave %j', (spoken, spokenWords, expected) => {
  const words = spokenWords.map((each, index) => ({ text: each, endMs: 100 * (index + 1) }))
  const piece = { text: spoken, spoken, durationMs: 1_000, isComplete: false, words }
  expect(heardOf([piece], 500).text).toBe(expected)
})
