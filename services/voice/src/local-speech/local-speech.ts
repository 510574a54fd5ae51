import type { AgentSpec } from '@ratchet/contracts/voice/agents'
import type { Recognizer, RecognizerEvents, Synthesizer } from '../engine/ports.ts'
import { chooseRecognizer } from '../voices/choose-recognizer.ts'
import { openLocalRecognizer } from './local-recognizer.ts'
import { createLocalSynthesizer } from './local-synthesizer.ts'
import type { SpeechThreadData } from './speech-messages.ts'
import { createSpeechThread } from './speech-thread.ts'

/** Speech of this machine. Null for agents that have another one's. */
export interface LocalSpeech {
  recognizer(
    spec: Pick<AgentSpec, 'voice' | 'stt'>,
    sampleRate: number,
  ): ((events: RecognizerEvents) => Recognizer) | null
  synthesizer(spec: Pick<AgentSpec, 'voice' | 'speech'>, sampleRate: number): Synthesizer | null
  stop(): Promise<void>
}

const voicePrefix = 'local/flite-'

/** A thread recognizes and another one speaks, for all calls of the process. */
export function createLocalSpeech(data: SpeechThreadData): LocalSpeech {
  const ear = createSpeechThread(data)
  const mouth = createSpeechThread(data)
  return {
    recognizer(spec, sampleRate) {
      if (chooseRecognizer(spec).provider !== 'local') return null
      return (events) => openLocalRecognizer({ thread: ear, sampleRate }, events)
    },
    synthesizer({ voice, speech }, sampleRate) {
      if (!voice.startsWith(voicePrefix)) return null
      const name = voice.slice(voicePrefix.length)
      return createLocalSynthesizer({ thread: mouth, voice: name, speed: speech.speed, sampleRate })
    },
    async stop() {
      await Promise.all([ear.stop(), mouth.stop()])
    },
  }
}
