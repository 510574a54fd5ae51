import { notFound } from '@ratchet/service-kit/http/service-error'
import { parseExact } from '@ratchet/service-kit/values/exact-json'
import type { ExchangeReads, ReadScope } from '../exchanges/exchange-reads.ts'
import type { LoggedExchange } from '../exchanges/logged-exchange.ts'
import { blindMessages, type Message } from './blind-messages.ts'

/**
 * The conversation of an exchange in the same form for each provider, and nothing else of it.
 *
 * @throws ServiceError `not_found` when there is none
 */
export async function blindConversation(
  reads: Pick<ExchangeReads, 'contents'>,
  scope: Pick<ReadScope, 'workspaceId'>,
  exchange: LoggedExchange | null,
  named: { readonly thing: string; readonly param: string },
) {
  const content = exchange === null ? undefined : (await reads.contents(scope, [exchange])).get(exchange.id)
  if (exchange === null || content === undefined) throw notFound(named.thing, named.param)
  const messages = parseExact(content.messages) as readonly Message[]
  const response = parseExact(content.response) as Message
  return {
    ...blindMessages(messages, response),
    redaction: { kinds: [...exchange.redactionKinds] },
  }
}
