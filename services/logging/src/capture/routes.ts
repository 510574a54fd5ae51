import { mebibyte } from '@ratchet/contracts/byte-sizes'
import {
  type CapturedExchange,
  capturesPath,
  capturesRule,
  capturesType,
  decodeCaptures,
} from '@ratchet/contracts/captured-exchange'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { admitCaller } from '@ratchet/service-kit/identity/require-identity'
import express, { type RequestHandler, type Router } from 'express'
import type { Ingest } from './ingest.ts'

export interface CaptureRouteDeps {
  readonly ingest: Ingest['ingest']
}

/** Room for one exchange of maximum size: the largest request and the largest answer. */
const maxBodyBytes = 64 * mebibyte

/** Accepts exchanges from inference while Redis is unavailable. The edge does not forward requests to it. */
export function captureRoutes(router: Router, { ingest }: CaptureRouteDeps): void {
  const admit: RequestHandler = (request, _response, next) => {
    request.routeName = capturesPath
    admitCaller(request, capturesRule)
    next()
  }
  const readBody = express.raw({ type: capturesType, limit: maxBodyBytes })
  router.post(capturesPath, admit, readBody, async (request, response) => {
    const captured = readCaptures(request.body)
    try {
      await ingest(captured)
    } catch (cause) {
      throw new ServiceError('service_unavailable', 'The log cannot be written at the moment.', {
        retryAfterSeconds: 1,
        cause,
      })
    }
    response.status(204).end()
  })
}

function readCaptures(body: unknown): readonly CapturedExchange[] {
  try {
    if (Buffer.isBuffer(body)) return decodeCaptures(body)
  } catch (cause) {
    if (cause instanceof RangeError) {
      throw new ServiceError('invalid_request', 'The body is not a valid capture batch.', { cause })
    }
    throw cause
  }
  throw new ServiceError('unsupported_media_type', `Send the body as ${capturesType}.`, { param: 'Content-Type' })
}
