import type { SpeechAccess } from './recognition-dialect.ts'
import { pcmReader, type SynthesisDialect } from './synthesis-dialect.ts'
import { timedReader } from './timed-reader.ts'

/** A voice of a provider. */
export interface ProviderVoice {
  /** As the provider names it. */
  readonly voice: string
  /** Null: the voice is its own model. */
  readonly model: string | null
}

export interface SpokenManner {
  /** 1: as the voice speaks by itself. */
  readonly speed: number
}

type VoiceDialect = (
  access: Pick<SpeechAccess, 'apiKey'>,
  voice: ProviderVoice,
  options: SpokenManner & { readonly lineRate: number },
) => SynthesisDialect

/** `/v1/speak` of Deepgram. */
export const deepgramVoice: VoiceDialect = ({ apiKey }, { voice }, { lineRate }) => {
  const query = new URLSearchParams({
    model: voice,
    encoding: 'linear16',
    container: 'none',
    sample_rate: String(lineRate),
  })
  return {
    sampleRate: lineRate,
    request: (text) => ({
      path: `/v1/speak?${query}`,
      headers: { authorization: `Token ${apiKey}` },
      body: { text },
    }),
    reader: pcmReader,
  }
}

/** `/audio/speech` of OpenAI, whose audio has 24 kHz. */
export const openaiVoice: VoiceDialect = ({ apiKey }, { voice, model }, { speed }) => ({
  sampleRate: 24_000,
  request: (input) => ({
    path: '/audio/speech',
    headers: { authorization: `Bearer ${apiKey}` },
    body: { model, voice, input, response_format: 'pcm', ...(speed === 1 ? {} : { speed }) },
  }),
  reader: pcmReader,
})

/** Streamed speech of ElevenLabs with the times of its characters. */
export const elevenlabsVoice: VoiceDialect = ({ apiKey }, { voice, model }, { speed }) => ({
  sampleRate: 16_000,
  request: (text) => ({
    path: `/v1/text-to-speech/${encodeURIComponent(voice)}/stream/with-timestamps?output_format=pcm_16000`,
    headers: { 'xi-api-key': apiKey },
    body: { text, model_id: model, ...(speed === 1 ? {} : { voice_settings: { speed } }) },
  }),
  reader: () => timedReader(16_000),
})
