import { mebibyte } from '@ratchet/contracts/byte-sizes'
import type { Endpoint } from '@ratchet/contracts/endpoint'
import type { BodyLimits } from './body-limit.ts'
import type { EndpointIndex } from './endpoint-index.ts'

/** Everything that a key opens, or that the edge answers itself. `/session` exists at the session listener only. */
const apiPath = /^\/(?:v1|v2|session|docs|metrics|openai|v1beta|v1alpha|chat)(?:\/|$)/

/** Whether a path belongs to the dashboard, which people open in a browser: whatever is no path of the API. */
export function isDashboardPath(path: string): boolean {
  return !path.startsWith('/v1/') && !apiPath.test(path)
}

/** What the dashboard passes on to the session listener: `/api/w/acme/v1/logs` is `/v1/logs` there. */
const passedOn = /^\/api\/w\/[^/]+(\/(?:v1|v2|session)\/.+)$/

const ownLimits: BodyLimits = { maxBodyBytes: mebibyte, maxGzippedBytes: null }

/**
 * The limits of a body that is sent to the dashboard: those of the endpoint that it passes the body on to, else a
 * mebibyte. Bodies of browsers are never compressed.
 *
 * @param index of all endpoints of the session listener
 */
export function dashboardLimits(index: EndpointIndex, method: string, path: string): BodyLimits {
  const endpoint = endpointBehind(index, method, path)
  return endpoint === null ? ownLimits : { maxBodyBytes: endpoint.maxBodyBytes, maxGzippedBytes: null }
}

function endpointBehind(index: EndpointIndex, method: string, path: string): Endpoint | null {
  const [, target] = passedOn.exec(path) ?? []
  if (target === undefined) return null
  const lookup = index.find(method, target)
  return lookup.kind === 'found' ? lookup.endpoint : null
}
