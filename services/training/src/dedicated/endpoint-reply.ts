import type {
  DedicatedEndpoint as EndpointReply,
  DedicatedEvent as EventReply,
  DedicatedHardware as HardwareReply,
} from '@ratchet/contracts/dedicated'
import { nanoToUsd } from '@ratchet/contracts/money'
import { publicId } from '@ratchet/contracts/public-id'
import type { BaseModel } from '../trainable-models/trainable-model.ts'
import type { DedicatedEndpoint, EndpointEvent } from './endpoint.ts'
import { fits, type Hardware, maxContextOf } from './hardware.ts'
import { readyCostNano } from './windows.ts'

export function endpointReply(endpoint: DedicatedEndpoint): EndpointReply {
  const { traffic, spend, coldStartMs } = endpoint
  return {
    id: publicId('dedicatedEndpoint', endpoint.id),
    object: 'dedicated.endpoint',
    name: endpoint.name,
    routing_key: endpoint.routingKey,
    model_id: `dedicated/${endpoint.routingKey}`,
    model: endpoint.baseModel,
    model_version_id: endpoint.version === null ? null : publicId('modelVersion', endpoint.version.id),
    hardware: endpoint.hardware,
    state: endpoint.state,
    status_message: endpoint.statusMessage,
    last_error: endpoint.lastError,
    replicas: endpoint.replicas.map(({ id, state, createdAt, readyAt, adapters }) => ({
      id: publicId('replica', id),
      state,
      hardware: endpoint.hardware,
      created_at: createdAt.toISOString(),
      ready_since: readyAt?.toISOString() ?? null,
      adapters_loaded: adapters
        .filter(({ isProven }) => isProven)
        .map(({ versionId }) => publicId('modelVersion', versionId)),
    })),
    routes: routesOf(endpoint),
    max_adapters: endpoint.maxAdapters,
    desired_replicas: endpoint.desired,
    min_replicas: endpoint.minReplicas,
    max_replicas: endpoint.maxReplicas,
    scale_to_zero_after_seconds: endpoint.scaleToZeroAfterS,
    scale_up_window_seconds: endpoint.scaleUpWindowS,
    scale_down_window_seconds: endpoint.scaleDownWindowS,
    target_concurrency: endpoint.targetConcurrency,
    max_context_length: endpoint.maxContextLength,
    precision: endpoint.precision,
    draining: endpoint.drainingS,
    max_hourly_cost_usd: endpoint.maxHourlyCostNano === null ? null : nanoToUsd(endpoint.maxHourlyCostNano),
    price_usd_per_hour: nanoToUsd(endpoint.priceNanoPerHour),
    spend: {
      hour_usd: nanoToUsd(spend.hourNano),
      day_usd: nanoToUsd(spend.dayNano),
      total_usd: nanoToUsd(spend.totalNano),
    },
    held_usd: nanoToUsd(endpoint.heldNano),
    requests: { running: traffic.running, waiting: traffic.waiting },
    cold_start_ms: { ...coldStartMs },
    last_request_at: traffic.lastRequestAt?.toISOString() ?? null,
    metadata: { ...endpoint.metadata },
    created_by: endpoint.createdBy,
    created_at: endpoint.createdAt.toISOString(),
  }
}

function routesOf({ routingKey, version, adapters, replicas }: DedicatedEndpoint): EndpointReply['routes'] {
  const ready = replicas.filter(({ state }) => state === 'ready')
  const own = { routingKey, version, isOk: ready.length > 0 ? true : null }
  const others = adapters.map((adapter) => {
    const asked = ready.flatMap((replica) => replica.adapters.filter(({ versionId }) => versionId === adapter.id))
    const isOk = asked.length === 0 ? null : asked.every(({ isProven }) => isProven)
    return { routingKey: adapter.routingKey, version: adapter, isOk }
  })
  return [own, ...others].map(({ routingKey: key, version: served, isOk }) => ({
    routing_key: key,
    model_id: `dedicated/${key}`,
    model_version_id: served === null ? null : publicId('modelVersion', served.id),
    fingerprint_ok: isOk,
  }))
}

export function eventReply(event: EndpointEvent): EventReply {
  return {
    id: publicId('dedicatedEvent', event.id),
    object: 'dedicated.endpoint.event',
    at: event.at.toISOString(),
    type: event.type,
    state: event.state,
    replica_id: event.replicaId === null ? null : publicId('replica', event.replicaId),
    message: event.message,
    cost_usd: nanoToUsd(event.costNano),
  }
}

/** @param used replicas that have such a machine @param model null: none was named */
export function hardwareReply(hardware: Hardware, used: number, model: BaseModel | null): HardwareReply {
  const { slots, priceNanoPerHour } = hardware
  const runs = model !== null && fits(hardware, model.id)
  return {
    id: hardware.id,
    gpu: hardware.gpu,
    gpu_count: hardware.gpuCount,
    gpu_memory_gb: hardware.gpuMemoryGb,
    price_usd_per_hour: nanoToUsd(priceNanoPerHour),
    price_usd_per_second: nanoToUsd(readyCostNano(1_000, priceNanoPerHour)),
    availability: slots === 0 ? 'none' : used < slots ? 'available' : 'queued',
    fits: model === null ? null : runs,
    max_adapters: hardware.maxAdapters,
    max_context: runs ? maxContextOf(hardware, model) : null,
  }
}
