import { Gauge, type ProcessMetrics } from '@ratchet/telemetry/metrics'

/** Shows since when a worker has done nothing: neither a piece of work nor a look that found none. */
function showProgress({ registry }: Pick<ProcessMetrics, 'registry'>, idleMs: () => number): void {
  new Gauge({
    name: 'worker_progress_age_seconds',
    help: 'Since the worker last did something, or found nothing to do.',
    registers: [registry],
    collect() {
      this.set(idleMs() / 1_000)
    },
  })
}

export interface Progress {
  readonly onProgress: () => void
}

/** The same for a worker that says when it gets on: what it says is passed on. */
export function showProgressOf<P extends Progress>(
  metrics: Pick<ProcessMetrics, 'registry'>,
  progress: P,
  now: () => Date,
): P {
  let lastMs = now().getTime()
  showProgress(metrics, () => now().getTime() - lastMs)
  return {
    ...progress,
    onProgress() {
      lastMs = now().getTime()
      progress.onProgress()
    },
  }
}
