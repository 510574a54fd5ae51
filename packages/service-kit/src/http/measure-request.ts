import type { ProcessMetrics } from '@ratchet/telemetry/metrics'
import type { ServedRequest, ServedResponse } from './served.ts'

/** Measures a request until its answer is closed. */
export function measureRequest(
  metrics: ProcessMetrics,
  request: Pick<ServedRequest, 'method' | 'routeName'>,
  response: ServedResponse,
): void {
  const startedAt = performance.now()
  response.once('close', () => {
    const labels = {
      http_request_method: request.method,
      http_route: request.routeName ?? 'none',
      http_response_status_code: String(response.statusCode),
    }
    metrics.requestSeconds.observe(labels, (performance.now() - startedAt) / 1_000)
  })
}
