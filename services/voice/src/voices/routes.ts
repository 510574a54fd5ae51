import { listVoiceLanguages, listVoices } from '@ratchet/contracts/voice/languages'
import { mount } from '@ratchet/service-kit/http/mount'
import type { Router } from 'express'
import type { VoiceList } from './voice-list.ts'

export function voiceListRoutes(router: Router, { voiceList }: { readonly voiceList: VoiceList }): void {
  mount(router, listVoiceLanguages, () => ({
    object: 'list' as const,
    data: voiceList.languages.map((language) => ({ object: 'language' as const, ...language })),
  }))
  mount(router, listVoices, ({ query: { language, provider, gender } }) => ({
    object: 'list' as const,
    data: voiceList.voices.filter(
      (voice) =>
        (language === undefined || voice.languages.includes(language)) &&
        (provider === undefined || voice.provider === provider) &&
        (gender === undefined || voice.gender === gender),
    ),
  }))
}
