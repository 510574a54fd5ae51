import { Webhook } from 'standardwebhooks'

export interface SignedMessage {
  /** `msg_…`, the same for every attempt. */
  readonly id: string
  readonly body: string
  /** When it is sent. */
  readonly at: Date
  /** `whsec_…`. */
  readonly secret: string
}

/**
 * The headers by which a receiver knows that a message is ours, and new.
 *
 * @throws Error for a secret that is none
 * @see https://www.standardwebhooks.com
 */
export function signatureHeaders({ id, body, at, secret }: SignedMessage): Readonly<Record<string, string>> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  }
}
