import type { IncomingHttpHeaders } from 'node:http'
import type { ProviderFailure, ProviderRequest } from '../../wire/provider.ts'
import { inOwnPlaces } from '../../wire/responses/own-places.ts'
import { failureOfStatus } from '../provider-error.ts'
import { statelessInput } from './stateless-input.ts'

/** What an error answer means for a request of the Responses dialect, with its items counted as the request has them. */
export function responsesFailure(
  request: Pick<ProviderRequest, 'model' | 'body'>,
  { status, headers, body }: { status: number; headers: IncomingHttpHeaders; body: Buffer },
): ProviderFailure {
  const failure = failureOfStatus(status, headers, body)
  if (status === 404) return unknownItem(failureOfStatus(400, headers, body)) ?? failure
  const places = failure.kind === 'refused' ? statelessInput(request)?.places : undefined
  if (places === undefined) return failure
  const { message, param } = inOwnPlaces({ message: failure.message, param: failure.param ?? null }, places)
  return { ...failure, message, ...(param === null ? {} : { param }) }
}

/** An item that the provider was to look up, and cannot: it keeps none for us. Null for what else is not there. */
function unknownItem({ message, retryAfterMs }: ProviderFailure): ProviderFailure | null {
  const id = /^Item with id '([^']+)' not found/.exec(message)?.[1]
  if (id === undefined) return null
  const advice = 'Send the item itself, reasoning with its encrypted_content, or leave it out.'
  return {
    kind: 'refused',
    message: `The model's provider keeps no item ${id}. ${advice}`,
    param: 'input',
    retryAfterMs,
  }
}
