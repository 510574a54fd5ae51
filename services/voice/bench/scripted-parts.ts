import type { AnswerWriter, EndJudge, Recognizer, RecognizerEvents, Synthesizer } from '../src/engine/ports.ts'

/** What the parts around the engine take, milliseconds. Whatever a caller waits beyond their sum is the engine's. */
export const scripted = {
  /** Silence that ends a turn which is judged to be over. */
  endpointMs: 300,
  /** From the request of a verdict on the pause. */
  verdictMs: 50,
  /** From the request to finish until the words are final. It overlaps with the silence. */
  recognizerMs: 40,
  /** Until the first text of the model, which is a whole clause. */
  modelMs: 250,
  /** Until the first audio of the clause. */
  voiceMs: 190,
} as const

/** What a caller waits at least: the parts that follow each other. */
export const scriptedWaitMs = scripted.endpointMs + scripted.modelMs + scripted.voiceMs

const after = (ms: number, work: () => void): (() => void) => {
  const timer = setTimeout(work, ms)
  return () => clearTimeout(timer)
}

export function openScriptedRecognizer({ onText }: RecognizerEvents): Recognizer {
  let stop = () => {}
  return {
    push: () => undefined,
    flush() {
      stop()
      stop = after(scripted.recognizerMs, () => onText('What is the time in Berlin?', true))
    },
    close: () => stop(),
  }
}

export const scriptedJudge: EndJudge = {
  judge: (onVerdict) => void after(scripted.verdictMs, () => onVerdict(0.9)),
}

const answer = 'It is half past nine in Berlin now.'

export const scriptedWriter: AnswerWriter = {
  answer(_request, { onText, onEnd }) {
    const stop = after(scripted.modelMs, () => {
      onText(`${answer} `)
      onEnd()
    })
    return stop
  },
}

/** Speaks for 1.2 seconds, in parts of 200 ms. */
export function scriptedSynthesizer(sampleRate: number): Synthesizer {
  const part = new Int16Array(sampleRate / 5).fill(4_000)
  return {
    speak(_request, { onAudio, onEnd }) {
      let parts = 0
      let stop = after(scripted.voiceMs, function deliver() {
        parts += 1
        const words = parts === 6 ? [{ text: answer, endMs: 1_200 }] : []
        onAudio(part.slice(), words)
        stop = parts < 6 ? after(20, deliver) : after(0, onEnd)
      })
      return () => stop()
    },
  }
}
