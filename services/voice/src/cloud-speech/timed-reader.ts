import { z } from 'zod'
import type { TimedWord } from '../heard/utterance.ts'
import { pcmOf, type SpeechReader, type SpokenPart } from './synthesis-dialect.ts'

const seconds = z.array(z.number().min(0)).max(10_000)
const Part = z.object({
  audio_base64: z.string(),
  alignment: z
    .object({ characters: z.array(z.string()).max(10_000), character_end_times_seconds: seconds })
    .refine(({ characters, character_end_times_seconds: ends }) => characters.length === ends.length)
    .nullish(),
})

/** Bytes of a line; a second of audio has 43,000. */
const maxLine = 4_194_304

/** Reads lines of JSON with audio and the times of its characters (ElevenLabs). */
export function timedReader(sampleRate: number): SpeechReader {
  let rest: Buffer = Buffer.alloc(0)
  let audioMs = 0
  let word = { text: '', endMs: 0 }

  const timed = (part: z.output<typeof Part>, fromMs: number): TimedWord[] => {
    const { characters = [], character_end_times_seconds: ends = [] } = part.alignment ?? {}
    const offsetMs = countsFromPart(ends, fromMs, audioMs) ? fromMs : 0
    const words: TimedWord[] = []
    for (const [i, character] of characters.entries()) {
      const endMs = offsetMs + (ends[i] ?? 0) * 1_000
      if (/\S/.test(character)) word = { text: word.text + character, endMs }
      else words.push(...endWord())
    }
    return words
  }
  const endWord = (): TimedWord[] => {
    const ended = word
    word = { text: '', endMs: 0 }
    return ended.text === '' ? [] : [ended]
  }
  const read = (line: Buffer): SpokenPart[] => {
    const text = line.toString('utf8').trim()
    if (text === '') return []
    const part = Part.parse(JSON.parse(text))
    const pcm = pcmOf(Buffer.from(part.audio_base64, 'base64'))
    const fromMs = audioMs
    audioMs += (pcm.length * 1_000) / sampleRate
    return [{ pcm, words: timed(part, fromMs) }]
  }

  return {
    push(bytes) {
      const parts: SpokenPart[] = []
      let from = 0
      for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, from)) {
        parts.push(...read(Buffer.concat([rest, bytes.subarray(from, at)])))
        rest = Buffer.alloc(0)
        from = at + 1
      }
      rest = Buffer.concat([rest, bytes.subarray(from)])
      if (rest.length > maxLine) throw new Error('a line that is too long')
      return parts
    },
    end: () => [...read(rest), { pcm: new Int16Array(0), words: endWord() }],
  }
}

/** Whether times count from the beginning of a part, and not of the text: then they fit the place of its audio better. */
function countsFromPart(ends: readonly number[], fromMs: number, toMs: number): boolean {
  const firstMs = (ends[0] ?? 0) * 1_000
  const lastMs = (ends.at(-1) ?? 0) * 1_000
  const outsideAsText = Math.max(0, fromMs - firstMs) + Math.max(0, lastMs - toMs)
  const outsideAsPart = Math.max(0, lastMs - (toMs - fromMs))
  return outsideAsPart < outsideAsText
}
