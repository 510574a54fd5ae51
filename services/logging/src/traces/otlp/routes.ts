import { droppedExports, exportTraces, exportTracesAlias, type TraceExportReply } from '@ratchet/contracts/otlp'
import { createBodyBudget } from '@ratchet/service-kit/http/body-budget'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { admitCaller, identityOf } from '@ratchet/service-kit/identity/require-identity'
import { createFairPlaces } from '@ratchet/service-kit/timing/fair-places'
import express, { type Request, type RequestHandler, type Router } from 'express'
import type { SentExport } from './decode-export.ts'
import { type Encoding, type TraceCodec, traceCodecs } from './trace-codec.ts'
import type { TraceIngest, TraceOutcome } from './trace-ingest.ts'

export interface OtlpRouteDeps {
  readonly ingestTraces: TraceIngest['ingest']
}

/** Maximum bytes of a body after decompression. */
const { maxBodyBytes } = exportTraces
/**
 * Limits of concurrent exports, of all workspaces and of one, and of their bytes, because a decoded export takes about ten
 * times its size in memory.
 */
const maxAtOnce = 16
const maxOfWorkspace = 4
const maxBytesAtOnce = 2 * maxBodyBytes

const codecs = Object.entries(traceCodecs) as [Encoding, TraceCodec][]
const contentTypes = codecs.map(([, { contentType }]) => contentType)
const unpack = express.raw({ type: contentTypes, limit: maxBodyBytes })

/** OTLP's trace service over HTTP. */
export function otlpRoutes(router: Router, { ingestTraces }: OtlpRouteDeps): void {
  const limit = limitConcurrency()
  const bodies = createBodyBudget(maxBytesAtOnce)
  for (const endpoint of [exportTraces, exportTracesAlias]) {
    const admit: RequestHandler = (request, _response, next) => {
      admitCaller(request, endpoint)
      next()
    }
    router.post(endpoint.path, admit, limit, readBody, async (request, response) => {
      const [encoding, codec] = codecOf(request)
      // In protobuf, a message without fields is an empty body.
      const bytes: Buffer = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      const { workspaceId } = identityOf(request)
      const held = bodies.enter(workspaceId)
      try {
        held.add(bytes.length)
        const outcome = await store(ingestTraces, workspaceId, { encoding, bytes })
        response.set('content-type', codec.contentType).send(codec.encode(replyTo(outcome)))
      } finally {
        held.leave()
      }
    })
  }
}

/**
 * OTLP's services for metrics and log records, which exporters of traces send to as well. Bodies are received and dropped
 * without being decompressed.
 */
export function droppedSignalRoutes(router: Router): void {
  for (const endpoint of droppedExports) {
    router.post(endpoint.path, (request, response) => {
      request.routeName = endpoint.path
      admitCaller(request, endpoint)
      const [, codec] = codecOf(request)
      request.resume()
      request.once('end', () => {
        response.set('content-type', codec.contentType).send(codec.encode({}))
      })
    })
  }
}

/** A request beyond the limits waits before its body is read, so that its client is slowed down. */
function limitConcurrency(): RequestHandler {
  const places = createFairPlaces({ places: maxAtOnce, maxOfOwner: maxOfWorkspace })
  return (request, response, next) => {
    request.routeName = request.path
    const isOver = new Promise<void>((resolve) => {
      response.once('close', resolve)
    })
    const serve = async () => {
      next()
      await isOver
    }
    places.run(identityOf(request).workspaceId, serve).catch(next)
  }
}

/** Limits the decompressed size, so that a small compressed body cannot fill the memory. */
const readBody: RequestHandler = (request, response, next) => {
  const coding = request.get('content-encoding') ?? 'identity'
  if (coding !== 'identity' && coding !== 'gzip') {
    throw new ServiceError('unsupported_media_type', 'Only gzip is supported as Content-Encoding.')
  }
  unpack(request, response, (thrown: unknown) => next(thrown === undefined ? undefined : unpackFailure(thrown)))
}

/** Errors of zlib have the status 400 and no type, unlike errors of the parser itself. */
function unpackFailure(cause: unknown): unknown {
  const { status, type } = cause as { status?: unknown; type?: unknown }
  if (status !== 400 || type !== undefined) return cause
  return new ServiceError('invalid_request', 'The body could not be decompressed.', { cause })
}

function codecOf(request: Request): [Encoding, TraceCodec] {
  const [type = ''] = (request.get('content-type') ?? '').split(';')
  const codec = codecs.find(([, { contentType }]) => contentType === type.trim().toLowerCase())
  if (codec !== undefined) return codec
  const message = `Send the body as ${contentTypes.join(' or ')}.`
  throw new ServiceError('unsupported_media_type', message, { param: 'Content-Type' })
}

async function store(ingest: TraceIngest['ingest'], workspaceId: string, sent: SentExport): Promise<TraceOutcome> {
  try {
    return await ingest(workspaceId, sent)
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause
    throw new ServiceError('service_unavailable', 'The log cannot be written at the moment.', {
      retryAfterSeconds: 1,
      cause,
    })
  }
}

function replyTo(outcome: TraceOutcome): TraceExportReply {
  if (outcome.kind === 'logging-disabled') {
    throw new ServiceError('logging_disabled', 'Request logging is off for this workspace.')
  }
  if (outcome.rejected === 0) return {}
  return { partialSuccess: { rejectedSpans: String(outcome.rejected), errorMessage: outcome.reason ?? '' } }
}
