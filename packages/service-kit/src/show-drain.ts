import { Gauge, type ProcessMetrics } from '@ratchet/telemetry/metrics'
import type { Drain } from './drain.ts'

/**
 * Shows a process on its way out. A process that is gone is not scraped, so what is shown is how near it is to cutting
 * exchanges off, while it still serves its metrics: where `ADMIN_PORT` is set, until the end. That it did cut them off
 * is for its log to say.
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
