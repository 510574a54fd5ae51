import { Gauge, type ProcessMetrics } from '@ratchet/telemetry/metrics'
import type { Drain } from './drain.ts'

/**
 * Exports the drain of a stopping process: how close it is to aborting requests. An exited process is not scraped, so
 * with `ADMIN_PORT` set its metrics are served until the end. The log says whether requests were aborted.
 */
export function showDrain(
  { registry }: Pick<ProcessMetrics, 'registry'>,
  { drain, timeoutMs }: { readonly drain: Pick<Drain, 'draining'>; readonly timeoutMs: number },
): void {
  const registers = [registry]
  let drainingSinceMs: number | null = null
  const elapsedMs = () => {
    if (!drain.draining) return 0
    drainingSinceMs ??= performance.now()
    return performance.now() - drainingSinceMs
  }
  new Gauge({
    name: 'ratchet_drain_elapsed_seconds',
    help: 'Time since the process began to drain; 0 while it runs.',
    registers,
    collect() {
      this.set(elapsedMs() / 1_000)
    },
  })
  new Gauge({
    name: 'ratchet_drain_timeout_seconds',
    help: 'How long requests may continue after the drain began, before they are aborted.',
    registers,
  }).set(timeoutMs / 1_000)
}
