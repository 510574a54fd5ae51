import type { ServerResponse } from 'node:http'
import type { Drain } from '@ratchet/service-kit/process/drain'
import type { EdgeRequest, Fail } from '../admission/request-context.ts'
import type { EdgeEvents } from '../events.ts'
import type { BuildHead } from './forwarded-head.ts'
import type { Upstream } from './upstream.ts'

/** Sends requests to one service, and its answers to the clients. */
export interface Forwarder {
  forward(request: EdgeRequest, response: ServerResponse, fail: Fail): void
  /** Closes the connections when running requests have ended. */
  close(): Promise<unknown>
}

export interface ForwarderOptions {
  readonly service: Upstream
  /** Scheme, host and port. */
  readonly origin: string
  readonly buildHead: BuildHead
  readonly events: EdgeEvents
  readonly drain: Drain
  readonly now: () => Date
  /** Milliseconds in which a client may hardly read an answer before it is disconnected; see `ReaderPaceOptions`. */
  readonly stalledClientMs: number
}
