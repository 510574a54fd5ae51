import type { Dialect } from './dialect.ts'
import { type ChatTranslation, overChat } from './over-chat.ts'
import type { Provider } from './provider.ts'

/**
 * A provider that speaks every dialect there is a translation for: its own natively, the others by way of chat
 * completions. Responses are spoken natively only by models that the catalog says can.
 */
export function speakAll(provider: Provider, translations: readonly ChatTranslation[]): Provider {
  const translated = new Map(translations.map((each) => [each.dialect, overChat(provider, each)]))
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
