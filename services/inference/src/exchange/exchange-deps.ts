import type { Brand } from '@ratchet/contracts/brand'
import type { UpstreamCall } from '@ratchet/http/upstream-call'
import type { ChatListener, ProviderChatRequest } from '../providers/provider.ts'
import type { ActiveExchanges } from './active-exchanges.ts'
import type { Billing } from './billing.ts'

/** What answering needs from outside. */
export interface ExchangeDeps {
  readonly brand: Brand
  /** Calls the model's provider, with retries before its first byte. */
  readonly callProvider: (request: ProviderChatRequest, listener: ChatListener) => UpstreamCall
  readonly active: ActiveExchanges
  readonly now: () => Date
  /** Milliseconds a client may leave a full buffer unread before it counts as gone. */
  readonly slowReaderMs: number
}

/** A chat request that was understood, priced and paid for in advance. */
export interface AdmittedChat {
  readonly request: ProviderChatRequest
  readonly billing: Billing
}
