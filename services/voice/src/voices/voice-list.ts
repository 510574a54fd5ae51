import type { Voice } from '@ratchet/contracts/voice/languages'

export interface ListedLanguage {
  readonly id: string
  readonly name: string
}

/** Voices and languages that agents may have. */
export interface VoiceList {
  readonly voices: readonly Voice[]
  /** Those that at least one voice speaks. */
  readonly languages: readonly ListedLanguage[]
}

const simulatedLanguages = ['en-US', 'en-GB', 'de-DE', 'es-ES', 'fr-FR']

/** The language of tones has no accent: it stands for every language for which there are rules of turn taking. */
export const simulatedVoice: Voice = {
  object: 'voice',
  id: 'sim/readable',
  provider: 'sim',
  name: 'readable',
  languages: simulatedLanguages,
  gender: 'neutral',
  usd_per_1000_characters: 0.015,
  available: true,
}

/** The voices of this installation. A voice without a price is not listed. */
export function listedVoices(voices: readonly Voice[] = [simulatedVoice]): VoiceList {
  const names = new Intl.DisplayNames('en', { type: 'language' })
  const spoken = [...new Set(voices.flatMap(({ languages }) => languages))].toSorted()
  return { voices, languages: spoken.map((id) => ({ id, name: names.of(id) ?? id })) }
}
