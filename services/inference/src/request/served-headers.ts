import type { Brand } from '@ratchet/contracts/brand'
import { providerHeader } from '@ratchet/contracts/identity'
import { droppedNames } from '../wire/leniency.ts'
import type { ProviderRequest } from '../wire/provider.ts'
import type { FundedRequest } from './request-records.ts'

/** The headers that say which model answered, and in place of which one. */
export function servedHeaders(
  { headers }: Brand,
  { candidates, cacheStatus, internalCall }: FundedRequest,
  { model, leniency }: ProviderRequest,
): Record<string, string> {
  const dropped = droppedNames(leniency)
  const firstChoice = candidates[0].request.model.id
  return {
    [headers.servedModel]: model.id,
    [headers.cache]: cacheStatus,
    ...(model.id === firstChoice ? {} : { [headers.fallbackFrom]: firstChoice }),
    ...(dropped === '' ? {} : { [headers.dropped]: dropped }),
    ...(internalCall === null ? {} : { [providerHeader]: model.provider }),
  }
}

/** Names the model that was called last in an error answer, and the one in whose place it was called. */
export function nameFailedModel(
  { headers }: Brand,
  { candidates, httpResponse }: Pick<FundedRequest, 'candidates' | 'httpResponse'>,
  { model }: ProviderRequest,
): void {
  const firstChoice = candidates[0].request.model.id
  httpResponse.setHeader(headers.servedModel, model.id)
  if (model.id !== firstChoice) httpResponse.setHeader(headers.fallbackFrom, firstChoice)
}
