import { isGeminiPath } from '@ratchet/contracts/gemini-errors'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { EndpointIndex } from './endpoint-index.ts'

/** Below it, inference answers, or says which methods there are. */
const methodsOfModels = '/v1beta/models/'

/**
 * Refuses requests in the form of Google's Gemini API that are not offered here. They need no key to be refused, because its clients would take a
 * 401 for a wrong key.
 *
 * @throws ServiceError `unknown_url`
 */
export function refuseGemini(path: string): void {
  if (!isGeminiPath(path) || path.startsWith(methodsOfModels)) return
  const message =
    'Of Gemini`s API there are POST /v1beta/models/{model}:generateContent, :streamGenerateContent and :countTokens here. Lists of models, embeddings and files are below /v1.'
  throw new ServiceError('unknown_url', message)
}

/** The error for a path that is no endpoint; it names the endpoint that was probably meant. */
export function unknownUrl(index: EndpointIndex, path: string): ServiceError {
  if (path === '/v1' || path === '/v1/') {
    const message = 'This is the base URL of the API. Its endpoints are below it; GET /v1/openapi.json lists them.'
    return new ServiceError('unknown_url', message)
  }
  const meant = [`/v1${path}`, path.replace(/^\/v1(?=\/)/, ''), path.replace(/\/$/, '')].find(
    (other) => other !== path && index.find('GET', other).kind !== 'unknown-url',
  )
  return new ServiceError('unknown_url', meant === undefined ? 'No such URL.' : `No such URL. There is ${meant}.`)
}
