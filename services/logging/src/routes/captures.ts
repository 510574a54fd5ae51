import { type CapturedExchange, capturesPath, capturesType, decodeCaptures } from '@ratchet/contracts/captured-exchange'
import { fleetIdentity } from '@ratchet/contracts/identity'
import { identityOf } from '@ratchet/service-kit/require-identity'
import { ServiceError } from '@ratchet/service-kit/service-error'
import express, { type Router } from 'express'
import type { Ingest } from '../capture/ingest.ts'

export interface CaptureRouteDeps {
  readonly ingest: Ingest['ingest']
}

/** One exchange of the largest request and the largest answer that there are. */
const largestBody = 64 * 1024 * 1024

/** Takes exchanges from inference while Redis cannot; the edge has no way to it. */
export function captureRoutes(router: Router, { ingest }: CaptureRouteDeps): void {
  router.post(capturesPath, express.raw({ type: capturesType, limit: largestBody }), async (request, response) => {
    request.routeName = capturesPath
    if (identityOf(request).keyId !== fleetIdentity.keyId) throw new ServiceError('unknown_url', 'No such route.')
    const captured = readCaptures(request.body)
    try {
      await ingest(captured)
    } catch (cause) {
      throw new ServiceError('service_unavailable', 'The log cannot be written.', { retryAfterSeconds: 1, cause })
    }
    response.status(204).end()
  })
}

function readCaptures(body: unknown): readonly CapturedExchange[] {
  try {
    if (Buffer.isBuffer(body)) return decodeCaptures(body)
  } catch (cause) {
    if (cause instanceof RangeError) {
      throw new ServiceError('invalid_request', 'These are no captured exchanges.', { cause })
    }
    throw cause
  }
  throw new ServiceError('unsupported_media_type', `Send the body as ${capturesType}.`, { param: 'Content-Type' })
}
