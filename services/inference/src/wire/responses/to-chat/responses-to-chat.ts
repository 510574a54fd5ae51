import type { Body } from '../../dialect.ts'
import type { Origins } from '../../origins.ts'
import type { ProviderRequest } from '../../provider.ts'
import type { ChatRewrite } from '../../translate-via-chat.ts'
import { CannotTranslate } from './cannot-translate.ts'
import { chatMessages } from './chat-messages.ts'
import { chatSettings } from './chat-settings.ts'
import { chatTools } from './chat-tools.ts'

/** Translates a checked Responses body to a chat completion body, or names the first field without an equivalent. */
export function responsesToChat(request: ProviderRequest): ChatRewrite {
  try {
    const origins: Origins = new Map()
    return { ok: true, body: chatBody(request, origins), origins }
  } catch (error) {
    if (!(error instanceof CannotTranslate)) throw error
    return { ok: false, code: error.code, param: error.param, message: error.message }
  }
}

function chatBody({ body, model, stream }: ProviderRequest, origins: Origins): Body {
  const developerRole = model.provider === 'openai' ? 'developer' : 'system'
  return {
    model: model.id,
    messages: chatMessages(body, { developerRole, origins }),
    ...chatTools(body, origins),
    ...chatSettings(model, body),
    ...(stream ? { stream: true } : {}),
  }
}
