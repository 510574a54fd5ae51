import type { Brand } from '@ratchet/contracts/brand'
import { providerHeader } from '@ratchet/contracts/identity'
import type { ProviderRequest } from '../wire/provider.ts'
import type { FundedRequest } from './request-records.ts'

/** The headers that say which model answered, and in place of which one. */
export function servedHeaders(
  { headers }: Brand,
  { candidates, cacheStatus, internalCall }: FundedRequest,
  { model }: ProviderRequest,
): Record<string, string> {
  const firstChoice = candidates[0].request.model.id
  return {
    [headers.servedModel]: model.id,
    [headers.cache]: cacheStatus,
    ...(model.id === firstChoice ? {} : { [headers.fallbackFrom]: firstChoice }),
    ...(internalCall === null ? {} : { [providerHeader]: model.provider }),
  }
}
