import { requestIdHeader } from '@ratchet/contracts/identity'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { ClientAddressOf } from '../admission/client-address.ts'
import { contextOf, type EdgeRequest } from '../admission/request-context.ts'
import { DispatchedRequest } from './dispatched-request.ts'
import type { BuildHead } from './forwarded-head.ts'
import type { Forwarder, ForwarderOptions } from './forwarder.ts'
import { createHttpTransport } from './http-transport.ts'

export interface DashboardForwarderOptions extends Omit<ForwarderOptions, 'service' | 'buildHead'> {
  readonly clientAddressOf: ClientAddressOf
}

/**
 * Forwards requests of browsers to the dashboard, which signs people in itself: no identity is added, and its 401 is an
 * answer. Event streams of pages last until the edge drains, and would hold it up; then they end, and the pages connect again.
 */
export function createDashboardForwarder({ clientAddressOf, ...options }: DashboardForwarderOptions): Forwarder {
  const transport = createHttpTransport(options.origin)
  const deps = {
    ...options,
    service: 'dashboard',
    buildHead: browserHead(clientAddressOf),
    transports: [transport],
    isSigned: false,
  } as const
  const eventStreams = new Set<DispatchedRequest>()
  options.drain.begun.addEventListener('abort', () => {
    for (const stream of eventStreams) stream.finish()
  })
  return {
    forward(request, response, fail) {
      const running = new DispatchedRequest(deps, request, response, fail)
      if (isEventSource(request)) {
        eventStreams.add(running)
        response.once('close', () => eventStreams.delete(running))
      }
      running.start()
    },
    close: () => (options.drain.deadline.aborted ? transport.cut() : transport.close()),
  }
}

function isEventSource({ method, headers }: EdgeRequest): boolean {
  return method === 'GET' && headers.accept === 'text/event-stream'
}

/** Names and ports; an address of IPv6 is in brackets. */
const hostForm = /^[A-Za-z0-9.\-_:[\]]{1,255}$/

/** The headers of the allow-list, and what the edge knows about the client. A client cannot set these. */
const browserHead =
  (clientAddressOf: ClientAddressOf): BuildHead =>
  (request) => {
    const { head } = contextOf(request)
    const { host } = request.headers
    if (host !== undefined && !hostForm.test(host))
      throw new ServiceError('invalid_request', 'The Host header is invalid.')
    head.forwarded.push(requestIdHeader, request.id)
    head.forwarded.push('x-forwarded-for', clientAddressOf(request), 'x-forwarded-proto', 'http')
    if (host !== undefined) head.forwarded.push('x-forwarded-host', host)
    return head.forwarded
  }
