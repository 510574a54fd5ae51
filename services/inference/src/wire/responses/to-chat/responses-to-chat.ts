import type { Body } from '../../dialect.ts'
import type { Origins } from '../../origins.ts'
import type { ProviderRequest } from '../../provider.ts'
import { Refusal } from '../../refusal.ts'
import type { ChatRewrite } from '../../translate-via-chat.ts'
import { withSummaryDemand } from '../summary-demand.ts'
import { chatMessages } from './chat-messages.ts'
import { chatSettings } from './chat-settings.ts'
import { chatTools } from './chat-tools.ts'

/** Translates a checked Responses body to a chat completion body, or names the first field without an equivalent. */
export function responsesToChat(request: ProviderRequest): ChatRewrite {
  try {
    const origins: Origins = new Map()
    return { ok: true, body: chatBody(request, origins), origins }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { ok: false, code: error.code, param: error.param, message: error.message }
  }
}

function chatBody({ body: given, model, stream, leniency, hints }: ProviderRequest, origins: Origins): Body {
  const body = hints?.task === 'compact' ? withSummaryDemand(given) : given
  const developerRole = model.provider === 'openai' ? 'developer' : 'system'
  return {
    model: model.id,
    messages: chatMessages(body, { developerRole, reasoning: model.historyReasoning, origins, leniency }),
    ...chatTools(body, { origins, leniency }),
    ...chatSettings(model, body, leniency),
    ...(stream ? { stream: true } : {}),
  }
}
