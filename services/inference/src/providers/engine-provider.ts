import type { Dispatcher } from 'undici'
import { messagesOverChat } from '../wire/messages/messages-over-chat.ts'
import type { Provider, ProviderListener } from '../wire/provider.ts'
import { responsesOverChat } from '../wire/responses/responses-over-chat.ts'
import { withTranslations } from '../wire/with-translations.ts'
import type { AdapterOptions } from './create-provider.ts'
import { type OpenAiProviderOptions, openAiProvider } from './openai/openai-provider.ts'

export interface EngineAccess extends Pick<OpenAiProviderOptions, 'members'> {
  readonly upstream: Dispatcher
  /** What hears of an answer, given what asked for it. */
  readonly heardBy?: (listener: ProviderListener) => ProviderListener
}

/**
 * An engine that this installation runs. It speaks chat completions, whatever the provider of its model speaks in the catalog, so the
 * other dialects are translated.
 */
export function engineProvider(
  { upstream, members, heardBy = (listener) => listener }: EngineAccess,
  options: AdapterOptions,
): Provider {
  const engine = openAiProvider({ ...options, upstream, basePath: '/v1', apiKey: '', members })
  const chat: Provider = {
    dialects: new Set(['chat']),
    start: (request, listener) => engine.start(request, heardBy(listener)),
  }
  return withTranslations(chat, [messagesOverChat, responsesOverChat])
}
