import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet-client'
import { askModel, type ModelCall, type ModelReply } from './ask-model.ts'

export interface ModelQuestion<Requested> extends ModelCall {
  /** What is wanted, as a message gives it; null where it does not. */
  readonly parse: (message: string) => Requested | null
}

/** What came of asking a model for something. */
export type Finding<Requested> =
  | { readonly kind: 'found'; readonly found: Requested }
  /** It was asked twice. */
  | { readonly kind: 'unparseable' }
  | { readonly kind: 'refused'; readonly refusal: FleetCallError }

export interface ModelQuestionResult<Requested> {
  readonly finding: Finding<Requested>
  /** All that were paid for, in order. */
  readonly replies: readonly ModelReply[]
}

/**
 * Asks a model for something that its message is to hold. A model that does not give it is asked the same once more,
 * under another key: both answers are charged once, however often this is tried again.
 */
export async function askForAnswer<Requested>(
  inference: Pick<FleetClient, 'send'>,
  { parse, ...call }: ModelQuestion<Requested>,
): Promise<ModelQuestionResult<Requested>> {
  const replies: ModelReply[] = []
  for (const key of [call.key, `${call.key}-retry`]) {
    const reply = await askModel(inference, { ...call, key }).catch(asRefusal)
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
