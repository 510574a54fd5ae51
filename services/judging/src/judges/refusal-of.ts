import { ErrorEnvelope } from '@ratchet/contracts/errors'
import type { CollectedAnswer } from '@ratchet/http/collect-answer'
import { FleetCallError } from '@ratchet/service-kit/fleet-client'
import { readJson } from './read-json.ts'

/** What an answer of inference that is no success says. */
export function refusalOf({ status, body }: Pick<CollectedAnswer, 'status' | 'body'>): FleetCallError {
  const envelope = ErrorEnvelope.safeParse(readJson(body))
  if (!envelope.success) return new FleetCallError(`inference answered ${status}`, { status })
  const { message, code, param } = envelope.data.error
  return new FleetCallError(message, { status, code, param })
}
