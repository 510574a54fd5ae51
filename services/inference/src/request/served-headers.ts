import type { Brand } from '@ratchet/contracts/brand'
import { providerHeader } from '@ratchet/contracts/identity'
import type { ModelCall } from './call-models.ts'
import type { Exchange } from './exchange.ts'

/** The headers that say who answered. */
export function servedHeaders(
  { headers }: Brand,
  { candidates, cache, fleet }: Pick<Exchange, 'candidates' | 'cache' | 'fleet'>,
  { served }: Pick<ModelCall, 'served'>,
): Record<string, string> {
  const requested = candidates[0].request.model.id
  return {
    [headers.servedModel]: served.model.id,
    [headers.cache]: cache,
    ...(served.model.id === requested ? {} : { [headers.fallbackFrom]: requested }),
    ...(fleet === null ? {} : { [providerHeader]: served.model.provider }),
  }
}
