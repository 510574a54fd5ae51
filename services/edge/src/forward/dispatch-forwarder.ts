import { inferenceSurfaces } from '@ratchet/contracts/inference-surfaces'
import { DispatchedRequest } from './dispatched-request.ts'
import type { Transport } from './forwarded-call.ts'
import type { Forwarder, ForwarderOptions } from './forwarder.ts'
import { createFrameClient, type FrameClientOptions } from './frames/frame-client.ts'
import { createHttpTransport } from './http-transport.ts'

export interface DispatchForwarderOptions extends ForwarderOptions {
  /** The connection of frames to the service; null when all requests go over HTTP. */
  readonly frames: FrameClientOptions | null
}

/** Forwards requests on the hot path: those that call a model in frames while there is a connection, others over HTTP. */
export function createDispatchForwarder({ frames, ...options }: DispatchForwarderOptions): Forwarder {
  const http = createHttpTransport(options.origin)
  const transports = frames === null ? [http] : [forSurfaces(createFrameClient(frames)), http]
  const deps = { ...options, transports, isSigned: true }
  return {
    forward: (request, response, fail) => new DispatchedRequest(deps, request, response, fail).start(),
    close() {
      const isOver = options.drain.deadline.aborted
      return Promise.all(transports.map((transport) => (isOver ? transport.cut() : transport.close())))
    },
  }
}

/** A target with a query goes over HTTP, because no surface has one. */
function forSurfaces({ dispatch, ...transport }: Transport): Transport {
  const paths = new Set(inferenceSurfaces.map(({ path }) => path))
  return {
    ...transport,
    dispatch: (call, handler) => call.method === 'POST' && paths.has(call.path) && dispatch(call, handler),
  }
}
