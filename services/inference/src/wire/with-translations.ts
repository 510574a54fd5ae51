import { needsPlainTools, plainTools } from './chat/plain-tools/plain-tools.ts'
import type { Dialect } from './dialect.ts'
import type { Provider } from './provider.ts'
import { type ChatTranslation, translateViaChat } from './translate-via-chat.ts'

/**
 * A provider that answers in every dialect with a translation: in its own dialects natively, in the others through chat
 * completions, and without the kinds of tools that few have. The Responses API is used natively only for models that the catalog marks for it.
 */
export function withTranslations(provider: Provider, translations: readonly ChatTranslation[]): Provider {
  const translated = new Map(translations.map((each) => [each.dialect, translateViaChat(provider, each)]))
  const withPlainTools = translateViaChat(provider, plainTools)
  return {
    dialects: new Set<Dialect>([...provider.dialects, ...(provider.dialects.has('chat') ? translated.keys() : [])]),
    start(request, listener) {
      const { dialect, model } = request
      const isNative =
        provider.dialects.has(dialect) && (dialect !== 'responses' || model.capabilities.includes(dialect))
      if (needsPlainTools(request)) return withPlainTools.start(request, listener)
      const speaker = isNative ? provider : translated.get(dialect)
      if (speaker === undefined) throw new Error(`${model.provider} does not speak ${dialect}`)
      return speaker.start(request, listener)
    },
  }
}
