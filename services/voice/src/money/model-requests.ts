import type { PaidCall } from '../calls/call-money.ts'

export type NamedCall = Pick<PaidCall, 'workspaceId' | 'callId'>

/** Requests of calls to language models. */
export interface ModelRequests {
  /** Before it is sent. */
  add(call: NamedCall, requestId: string): Promise<void>
  of(call: NamedCall): Promise<readonly ModelRequest[]>
  /** What requests cost, for good. */
  price(call: NamedCall, costs: ReadonlyMap<string, bigint>): Promise<void>
}

export interface ModelRequest {
  readonly requestId: string
  /** Null: not known yet. */
  readonly costNano: bigint | null
  /** Milliseconds since it was written down. */
  readonly ageMs: number
}
