import type { ServiceName } from '@ratchet/contracts/endpoint'
import type { Drain } from '@ratchet/service-kit/drain'
import type { RequestHandler } from 'express'
import type { EdgeEvents } from '../events.ts'
import type { BuildHead } from './forwarded-head.ts'

/** A way to one service. */
export interface Forwarder {
  readonly forward: RequestHandler
  /** Closes the connections once running exchanges are over. */
  close(): Promise<void>
}

export interface ForwarderOptions {
  readonly service: ServiceName
  /** Scheme, host and port. */
  readonly origin: string
  readonly buildHead: BuildHead
  readonly events: EdgeEvents
  readonly drain: Drain
  readonly now: () => Date
  /** Milliseconds that a client may take no byte of an answer that waits for it. */
  readonly stalledClientMs: number
}
