import type { Dialect } from './dialect.ts'
import type { Provider } from './provider.ts'
import { type ChatTranslation, translateViaChat } from './translate-via-chat.ts'

/**
 * A provider that answers in every dialect with a translation: in its own dialects natively, in the others through chat
 * completions. The Responses API is used natively only for models that the catalog marks for it.
 */
export function withTranslations(provider: Provider, translations: readonly ChatTranslation[]): Provider {
  const translated = new Map(translations.map((each) => [each.dialect, translateViaChat(provider, each)]))
  return {
    dialects: new Set<Dialect>([...provider.dialects, ...(provider.dialects.has('chat') ? translated.keys() : [])]),
    start(request, listener) {
      const { dialect, model } = request
      const isNative =
        provider.dialects.has(dialect) && (dialect !== 'responses' || model.capabilities.includes(dialect))
      const speaker = isNative ? provider : translated.get(dialect)
      if (speaker === undefined) throw new Error(`${model.provider} does not speak ${dialect}`)
      return speaker.start(request, listener)
    },
  }
}
