import { createToneReader } from '@ratchet/audio/readable-speech/create-tone-reader'
import type { Recognizer, RecognizerEvents } from '../engine/ports.ts'

/** Audio without a further word after which a segment is final. */
const finalAfterMs = 500

/** Recognizes the language of tones, word for word. */
export function openSimRecognizer(sampleRate: number, { onText }: RecognizerEvents): Recognizer {
  const reader = createToneReader(sampleRate)
  let words: string[] = []
  let idleMs = 0
  let isClosed = false
  const finish = () => {
    if (words.length === 0) return
    const text = words.join(' ')
    words = []
    onText(text, true)
  }
  return {
    push(pcm) {
      if (isClosed) return
      const read = reader.push(pcm)
      idleMs = read.length > 0 ? 0 : idleMs + (pcm.length * 1000) / sampleRate
      if (read.length > 0) {
        words.push(...read.map(({ text }) => text))
        onText(words.join(' '), false)
      } else if (idleMs >= finalAfterMs) finish()
    },
    flush: finish,
    close() {
      isClosed = true
    },
  }
}
