import type { IncomingHttpHeaders } from 'node:http'
import type { ProviderFailure, ProviderRequest } from '../../wire/provider.ts'
import { remapInputPaths } from '../../wire/responses/remap-input-paths.ts'
import { failureOfStatus } from '../provider-error.ts'
import { statelessInput } from './stateless-input.ts'

/** The failure for an error answer of the Responses API. Items are counted as the request has them. */
export function responsesFailure(
  request: Pick<ProviderRequest, 'model' | 'body'>,
  { status, headers, body }: { status: number; headers: IncomingHttpHeaders; body: Buffer },
): ProviderFailure {
  const failure = failureOfStatus(status, headers, body)
  if (status === 404) return unknownItem(failureOfStatus(400, headers, body)) ?? failure
  const places = failure.kind === 'refused' ? statelessInput(request)?.places : undefined
  if (places === undefined) return failure
  const { message, param } = remapInputPaths({ message: failure.message, param: failure.param ?? null }, places)
  return { ...failure, message, ...(param === null ? {} : { param }) }
}

/**
 * A refusal for an item that the provider did not find, because it stores none for the gateway; null for anything else
 * that was not found.
 */
function unknownItem({ message, retryAfterMs }: ProviderFailure): ProviderFailure | null {
  const id = /^Item with id '([^']+)' not found/.exec(message)?.[1]
  if (id === undefined) return null
  const advice = 'Send the item itself, reasoning with its encrypted_content, or leave it out.'
  return {
    kind: 'refused',
    message: `The model's provider has not stored the item ${id}. ${advice}`,
    param: 'input',
    retryAfterMs,
  }
}
