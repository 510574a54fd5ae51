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
  const served: Record<string, string> = {}
  served[headers.servedModel] = model.id
  served[headers.cache] = cacheStatus
  if (model.id !== firstChoice) served[headers.fallbackFrom] = firstChoice
  if (dropped !== '') served[headers.dropped] = dropped
  if (internalCall !== null) served[providerHeader] = model.provider
  return served
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
