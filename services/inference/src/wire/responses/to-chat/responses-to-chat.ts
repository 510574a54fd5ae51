import { asList, asObject } from '@ratchet/service-kit/values/json'
import type { Body } from '../../dialect.ts'
import { drop, type Leniency } from '../../leniency.ts'
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

/** OpenAI compacts what comes before such an item. Any other model writes a summary, as a message. */
function compacted(body: Body, leniency: Leniency | undefined): Body {
  const items = asList(body.input)
  if (leniency === undefined || asObject(items.at(-1))?.type !== 'compaction_trigger') return body
  drop(leniency, 'input.compaction_trigger')
  return withSummaryDemand({ ...body, input: items.slice(0, -1) })
}

function chatBody({ body: given, model, stream, leniency, hints }: ProviderRequest, origins: Origins): Body {
  const body = hints?.task === 'compact' ? withSummaryDemand(given) : compacted(given, leniency)
  const developerRole = model.provider === 'openai' ? 'developer' : 'system'
  return {
    model: model.id,
    messages: chatMessages(body, { developerRole, reasoning: model.historyReasoning, origins, leniency }),
    ...chatTools(body, { origins, leniency }),
    ...chatSettings(model, body, leniency),
    ...(stream ? { stream: true } : {}),
  }
}
