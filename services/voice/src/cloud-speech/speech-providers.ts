import type { GuardedUpstream } from '@ratchet/http/create-guarded-upstream'
import { deepgramRecognition } from './deepgram-recognition.ts'
import { openaiRecognition } from './openai-recognition.ts'
import { deepgramVoice, elevenlabsVoice, openaiVoice } from './provider-voices.ts'
import type { RecognitionDialect, RecognitionOrder, SpeechAccess } from './recognition-dialect.ts'

/** Providers of speech, and what there is an adapter for. */
export const speechProviders = {
  deepgram: {
    baseUrl: 'https://api.deepgram.com',
    recognition: deepgramRecognition,
    voice: deepgramVoice,
    speeds: null,
  },
  openai: {
    baseUrl: 'https://api.openai.com/v1',
    recognition: openaiRecognition,
    voice: openaiVoice,
    speeds: { min: 0.7, max: 1.3 },
  },
  elevenlabs: {
    baseUrl: 'https://api.elevenlabs.io',
    recognition: null,
    voice: elevenlabsVoice,
    speeds: { min: 0.7, max: 1.2 },
  },
} as const satisfies Record<string, SpeechProvider>

export type SpeechProviderId = keyof typeof speechProviders

interface SpeechProvider {
  readonly baseUrl: string
  readonly recognition: ((access: SpeechAccess, order: RecognitionOrder) => RecognitionDialect) | null
  readonly voice: typeof openaiVoice
  /** Null: voices have one speed. */
  readonly speeds: { readonly min: number; readonly max: number } | null
}

export function isSpeechProvider(id: string): id is SpeechProviderId {
  return Object.hasOwn(speechProviders, id)
}

/** A provider with a key. */
export interface ConnectedProvider {
  readonly access: SpeechAccess
  readonly connection: GuardedUpstream
}

export type ConnectedProviders = ReadonlyMap<SpeechProviderId, ConnectedProvider>
