import type { Brand } from '@ratchet/contracts/brand'
import { readSwitch } from '@ratchet/service-kit/http/read-switch'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { isOverQuota } from '@ratchet/work-kit/storage/within-quota'
import type { ResponseRecorder } from '../stored-responses/response-recorder.ts'
import { type Places, remapInputPaths } from '../wire/responses/remap-input-paths.ts'
import type { CompletionHook } from './completion-hooks.ts'
import { rawHeaderOf } from './header-of.ts'
import type { ParsedBody } from './parse-body.ts'
import type { ParsedRequest } from './request-records.ts'

export interface PrepareResponseDeps {
  readonly brand: Brand
  readonly responseRecorder: ResponseRecorder
  /** Is called when an answer was charged and delivered but could not be stored. */
  readonly onNotStored: (requestId: string, cause: unknown) => void
}

/** How a request of the Responses API is sent to a model, and how its answer is stored. */
export interface Preparation {
  /** The body with the earlier responses of the chain in its `input`. */
  readonly body: ParsedBody
  /** Stores the answer; null when it must not be stored. Without room in the quota it fails only for a prepared response. */
  readonly completionHook: CompletionHook | null
  /** True when the body contains a response that must not be logged. */
  readonly containsUnlogged: boolean
  /** Rewrites an error about `body` so that it names the fields of the body that the client sent. */
  readonly toClientError: (error: unknown) => unknown
}

/** Puts the earlier responses of the chain into the request, and makes its answer be stored. */
export async function prepareResponse(
  { brand, responseRecorder, onNotStored }: PrepareResponseDeps,
  { requestId, identity, settings, bytes, scan, body, reserveBody, httpRequest, httpResponse }: ParsedRequest,
): Promise<Preparation> {
  const { workspaceId } = identity
  const { loggingEnabled } = settings
  const { log } = brand.headers
  const isUnlogged = readSwitch(rawHeaderOf(httpRequest, log), log) === false
  const request = { requestId, workspaceId, reserve: reserveBody, loggingEnabled, isUnlogged, bytes, scan, body }
  const { read, storeAs, storeIsOff, places, containsUnlogged } = await responseRecorder.prepare(request)
  if (storeIsOff) httpResponse.setHeader(brand.headers.store, 'off')
  const completionHook: CompletionHook | null =
    storeAs === null
      ? null
      : {
          // An answer from the cache was stored under its own id when it was made.
          async afterCharge({ bytes: reply, servedModel, fromCache }) {
            if (fromCache) return
            await responseRecorder.store(storeAs, { reply, servedModel }).catch((cause) => {
              if (!isOverQuota(cause)) return onNotStored(requestId, cause)
              // A response without an answer has no use but to be stored.
              if (body.generate === false) throw cause
              if (!httpResponse.headersSent) httpResponse.setHeader(brand.headers.store, 'off')
            })
          },
        }
  return {
    body: read,
    completionHook,
    containsUnlogged,
    toClientError: (error) => (places === null ? error : withClientPaths(error, places)),
  }
}

function withClientPaths(error: unknown, places: Places): unknown {
  if (!(error instanceof ServiceError) || error.status !== 400) return error
  const { message, param } = remapInputPaths(error, places)
  const { code, details, headers, cause } = error
  return new ServiceError(code, message, {
    ...(param === null ? {} : { param }),
    ...(details === undefined ? {} : { details }),
    headers,
    cause,
  })
}
