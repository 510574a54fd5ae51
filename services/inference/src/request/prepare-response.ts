import type { Brand } from '@ratchet/contracts/brand'
import { ServiceError } from '@ratchet/service-kit/service-error'
import type { ResponseRecorder } from '../stored-responses/response-recorder.ts'
import { inOwnPlaces, type Places } from '../wire/responses/own-places.ts'
import type { PreparedRequest, ReceivedRequest } from './serve-surface.ts'

export interface PrepareResponseDeps {
  readonly brand: Brand
  readonly responseRecorder: ResponseRecorder
  /** An answer was charged and delivered but could not be stored. */
  readonly onNotStored: (requestId: string, cause: unknown) => void
}

/** Puts everything before it into a request of the Responses API, and sees to it that its answer is stored. */
export async function prepareResponse(
  { brand, responseRecorder, onNotStored }: PrepareResponseDeps,
  { settings, ...request }: ReceivedRequest,
): Promise<PreparedRequest> {
  const { loggingEnabled } = settings
  const { read, storeAs, storeIsOff, places } = await responseRecorder.prepare({ ...request, loggingEnabled })
  return {
    read,
    reported: (error) => (places === null ? error : inPlaces(error, places)),
    headers: storeIsOff ? { [brand.headers.store]: 'off' } : {},
    completionHook:
      storeAs === null
        ? null
        : {
            // What the cache gave was stored under its own id when it was made.
            async afterCharge({ bytes, served, fromCache }) {
              if (fromCache) return
              const answered = { reply: bytes, model: served.model.id }
              await responseRecorder.keep(storeAs, answered).catch((cause) => onNotStored(request.requestId, cause))
            },
          },
  }
}

/** A refusal that names an item of `input` counts as the client counts. */
function inPlaces(error: unknown, places: Places): unknown {
  if (!(error instanceof ServiceError) || error.status !== 400) return error
  const { message, param } = inOwnPlaces(error, places)
  const { code, details, headers, cause } = error
  return new ServiceError(code, message, {
    ...(param === null ? {} : { param }),
    ...(details === undefined ? {} : { details }),
    headers,
    cause,
  })
}
