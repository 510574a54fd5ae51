import { Counter, Gauge, type Registry } from '@ratchet/telemetry/metrics'
import type { CallWorker } from './calls/call-worker.ts'

/** What a worker reports. */
export function createWorkerMetrics(registry: Registry, maxCalls: number) {
  const registers = [registry]
  const late = new Counter({
    name: 'ratchet_voice_late_frames_total',
    help: 'Ticks of 20 ms that were more than one frame late: callers hear a gap.',
    registers,
  })
  new Gauge({ name: 'ratchet_voice_calls_max', help: 'Calls that this worker holds at most.', registers }).set(maxCalls)
  return {
    late: () => late.inc(),
    watch(worker: Pick<CallWorker, 'calls'>) {
      new Gauge({
        name: 'ratchet_voice_calls',
        help: 'Calls that this worker holds.',
        registers,
        collect() {
          this.set(worker.calls)
        },
      })
    },
  }
}
