import type { Identity } from '@ratchet/contracts/identity'

/** A request that was admitted, for the voice service. */
export interface VoiceCall {
  readonly requestId: string
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly identity: Identity
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}
