import type { DedicatedEndpoint } from '@ratchet/contracts/dedicated'
import type { DedicatedState } from '@ratchet/contracts/dedicated-state'
import { microOfUsd, moneyText } from '../../../kit/money.ts'
import { countOf } from '../../../kit/numbers.ts'
import type { State } from '../../../kit/state-mark.tsx'
import { duration } from '../../../kit/time.ts'

interface Status {
  readonly word: string
  readonly state: State
}

const statuses: Record<DedicatedState, Status> = {
  PENDING: { word: 'waits for hardware', state: 'open' },
  STARTING: { word: 'starts', state: 'open' },
  RUNNING: { word: 'runs', state: 'proven' },
  UPDATING: { word: 'changes', state: 'open' },
  SCALED_TO_ZERO: { word: 'scaled to zero', state: 'none' },
  STOPPING: { word: 'stops', state: 'open' },
  STOPPED: { word: 'stopped', state: 'none' },
  FAILED: { word: 'failed', state: 'wrong' },
  DELETED: { word: 'deleted', state: 'none' },
}

/** The word and the shape of a state. */
export function statusOf(state: DedicatedState): Status {
  return statuses[state]
}

export type Replica = DedicatedEndpoint['replicas'][number]

const replicaStates: Record<Replica['state'], State> = {
  waiting: 'open',
  starting: 'open',
  ready: 'proven',
  draining: 'none',
}

export function stateOfReplica(state: Replica['state']): State {
  return replicaStates[state]
}

/** Whether an adapter answers requests under its name. */
export function stateOfRoute({ fingerprint_ok: isOk }: Pick<DedicatedEndpoint['routes'][number], 'fingerprint_ok'>): {
  readonly word: string
  readonly state: State
} {
  if (isOk === null) return { word: 'not loaded', state: 'open' }
  return isOk ? { word: 'proven', state: 'proven' } : { word: 'not on all replicas', state: 'wrong' }
}

/** Whether it may change by itself: then its page follows it. One that is stopped or has failed waits for a person. */
export function isFollowed({ state }: Pick<DedicatedEndpoint, 'state'>): boolean {
  return !['STOPPED', 'FAILED', 'DELETED'].includes(state)
}

/** What a person may do with it. Every one can be changed and deleted. */
export type EndpointAct = 'start' | 'stop' | 'delete'

export function actsOn({ state }: Pick<DedicatedEndpoint, 'state'>): readonly EndpointAct[] {
  if (state === 'DELETED') return []
  if (state === 'STOPPED' || state === 'FAILED') return ['start', 'delete']
  if (state === 'SCALED_TO_ZERO') return ['start', 'stop', 'delete']
  return state === 'STOPPING' ? ['delete'] : ['stop', 'delete']
}

/** Such as `1 of 2 ready`. */
export function replicasText({ replicas, desired_replicas: desired }: DedicatedEndpoint): string {
  const ready = replicas.filter(({ state }) => state === 'ready').length
  return `${ready} of ${Math.max(desired, replicas.length)} ready`
}

/** How many replicas run, and when they end, in words. */
export function scaleText(
  endpoint: Pick<DedicatedEndpoint, 'min_replicas' | 'max_replicas' | 'scale_to_zero_after_seconds'>,
): string {
  const { min_replicas: min, max_replicas: max, scale_to_zero_after_seconds: seconds } = endpoint
  const range = min === max ? countOf(max, 'replica') : `${min} to ${countOf(max, 'replica')}`
  if (min > 0) return `${range}, day and night`
  if (seconds === null) return `${range}; one always runs`
  return `${range}; none after ${duration(seconds * 1_000)} without a request`
}

/** What happens to requests in its state; null when they are answered. */
export function requestsText({ state }: Pick<DedicatedEndpoint, 'state'>): string | null {
  if (state === 'RUNNING' || state === 'UPDATING') return null
  if (state === 'SCALED_TO_ZERO') return 'Nothing is charged. The next request starts it, and is held until it answers.'
  if (state === 'PENDING' || state === 'STARTING') return 'Requests are held until a replica is ready.'
  return 'Requests to it are refused.'
}

/** US dollars as the API sends them, such as `$0.60`. */
export function usdText(usd: number): string {
  return moneyText(microOfUsd(usd))
}

/** How long a start takes, in words. */
export function coldStartText({ cold_start_ms: { p50, p95 } }: Pick<DedicatedEndpoint, 'cold_start_ms'>): string {
  if (p50 === null || p95 === null) return 'not measured yet'
  return `${duration(p50)}, and ${duration(p95)} of 95 %`
}

/** Ready replicas over a window, as a sentence. */
export function readySentence(points: readonly { readonly ready: number }[]): string {
  const counts = points.map(({ ready }) => ready)
  if (counts.length === 0 || Math.max(...counts) === 0) return 'Ready replicas: none in this time.'
  return `Ready replicas: between ${Math.min(...counts)} and ${Math.max(...counts)}, now ${counts.at(-1)}.`
}
