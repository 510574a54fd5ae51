import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { callModel, type ModelCall, type ModelReply } from './call-model.ts'

export interface ValueRequest<Requested> extends ModelCall {
  /** Reads the requested value from a message; null when it has none. */
  readonly parse: (message: string) => Requested | null
}

export type Finding<Requested> =
  | { readonly kind: 'found'; readonly found: Requested }
  /** Neither of two calls gave the value. */
  | { readonly kind: 'unparseable' }
  | { readonly kind: 'refused'; readonly refusal: FleetCallError }

export interface ValueResult<Requested> {
  readonly finding: Finding<Requested>
  /** All charged replies, in order. */
  readonly replies: readonly ModelReply[]
}

/**
 * Calls a model for a value that its message has to contain. When the message has none, the model is called once more,
 * under another key. However often this is retried, each of the two calls is charged once.
 */
export async function requestValue<Requested>(
  inference: Pick<FleetClient, 'send'>,
  { parse, ...call }: ValueRequest<Requested>,
): Promise<ValueResult<Requested>> {
  const replies: ModelReply[] = []
  for (const key of [call.key, `${call.key}-retry`]) {
    const reply = await callModel(inference, { ...call, key }).catch(asRefusal)
    if (reply instanceof FleetCallError) return { finding: { kind: 'refused', refusal: reply }, replies }
    replies.push(reply)
    const found = reply.text === null ? null : parse(reply.text)
    if (found !== null) return { finding: { kind: 'found', found }, replies }
  }
  return { finding: { kind: 'unparseable' }, replies }
}

function asRefusal(error: unknown): FleetCallError {
  if (error instanceof FleetCallError) return error
  throw error
}
