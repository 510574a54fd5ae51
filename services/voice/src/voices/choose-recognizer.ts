import type { AgentSpec } from '@ratchet/contracts/voice/agents'

/** A recognizer of speech. */
export interface ChosenRecognizer {
  readonly provider: string
  /** Null: the provider has no models. */
  readonly model: string | null
}

/** What providers recognize with, unless an agent says otherwise. Null: they have no models. */
const modelOf: Readonly<Record<string, string | null>> = {
  sim: null,
  local: null,
  deepgram: 'nova-3',
  openai: 'gpt-live-transcribe',
}
/** For voices whose provider recognizes nothing here. */
const usual = 'deepgram'

/**
 * The recognizer that an agent states; else that of the provider of its voice, or Deepgram. It follows from the version alone, so
 * that a call is heard and priced as it was when it was created.
 */
export function chooseRecognizer({ voice, stt }: Pick<AgentSpec, 'voice' | 'stt'>): ChosenRecognizer {
  const [ofVoice = ''] = voice.split('/')
  const provider = stt.provider ?? (ofVoice in modelOf ? ofVoice : usual)
  return { provider, model: stt.model ?? usualRecognizer(provider) }
}

/** The model of a provider, unless an agent states one; null: it has none, or recognizes nothing here. */
export function usualRecognizer(provider: string): string | null {
  return modelOf[provider] ?? null
}
