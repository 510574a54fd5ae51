import { Gauge, type ProcessMetrics } from '@ratchet/telemetry/metrics'

/** Exports for how long a worker has made no progress: it neither finished work nor found that there is none. */
function showProgress({ registry }: Pick<ProcessMetrics, 'registry'>, idleMs: () => number): void {
  new Gauge({
    name: 'ratchet_worker_progress_age_seconds',
    help: 'Time since the worker last finished a work item or found none.',
    registers: [registry],
    collect() {
      this.set(idleMs() / 1_000)
    },
  })
}

export interface Progress {
  readonly onProgress: () => void
}

/** Exports the progress of a watch, and passes its calls on. */
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
