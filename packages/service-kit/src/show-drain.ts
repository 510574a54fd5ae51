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
    name: 'drain_elapsed_seconds',
    help: 'Since the process was first seen on its way out; 0 while nobody told it to stop.',
    registers,
    collect() {
      this.set(elapsedMs() / 1_000)
    },
  })
  new Gauge({
    name: 'drain_timeout_seconds',
    help: 'How long exchanges may go on once connections are refused, before they are cut off.',
    registers,
  }).set(timeoutMs / 1_000)
}
