import { Counter, type Registry, startAtZero } from '@ratchet/telemetry/metrics'
import type { Logger } from 'pino'
import type { EndpointTurn } from './advance-endpoint.ts'
import type { EngineEvent } from './reconcile-deps.ts'

/** Reports what a worker does for dedicated endpoints as metrics and log lines. */
export interface DedicatedEvents {
  endpoint(event: EndpointTurn): void
  engine(event: EngineEvent): void
}

export function createDedicatedEvents(registers: Registry[], logger: Logger): DedicatedEvents {
  const endpoints = new Counter({
    name: 'ratchet_dedicated_endpoint_steps_total',
    help: 'Steps of dedicated endpoints. `failed`: a step that is taken again.',
    labelNames: ['step'],
    registers,
  })
  const engines = new Counter({
    name: 'ratchet_dedicated_engines_ended_total',
    help: 'Engines that ran without a replica, and replicas whose engine failed.',
    labelNames: ['kind'],
    registers,
  })
  startAtZero(endpoints, 'step', ['hold', 'post', 'add', 'drain', 'end', 'scale', 'stop', 'enter', 'failed'])
  startAtZero(engines, 'kind', ['orphan_stopped', 'replica_failed', 'failed'])
  return {
    endpoint(event) {
      endpoints.inc({ step: event.kind === 'step' ? event.step : 'failed' })
      if (event.kind === 'step') return
      const { endpointId, error } = event
      logger.error({ event: 'endpoint_step_failed', endpointId, err: error }, 'a step of an endpoint failed')
    },
    engine(event) {
      engines.inc({ kind: event.kind })
      if (event.kind === 'failed') {
        const { replicaId, error } = event
        return logger.error({ event: 'engine_failed', replicaId, err: error }, 'an engine could not be looked after')
      }
      if (event.kind === 'orphan_stopped') {
        const { engine } = event
        return logger.warn({ event: 'engine_orphan_stopped', engine }, 'an engine ran that no replica has')
      }
      const { replicaId, reason } = event
      logger.warn({ event: 'replica_failed', replicaId, reason }, 'the engine of a replica failed')
    },
  }
}
