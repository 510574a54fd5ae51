import type { CreateDedicatedEndpoint } from '@ratchet/contracts/dedicated-body'
import type { Share } from '@ratchet/work-kit/leases/leased-item'
import type { EndpointRow, EndpointStep, EndpointWorld, ReplicaEnd, ReplicaState, StopReason } from './endpoint-step.ts'
import type { Scale, Traffic } from './scale.ts'

/** What a user decides of an endpoint, and may change. */
export interface EndpointSettings {
  readonly name: string
  readonly minReplicas: number
  readonly maxReplicas: number
  readonly scaleToZeroAfterS: number | null
  readonly scaleUpWindowS: number
  readonly scaleDownWindowS: number
  readonly targetConcurrency: number
  readonly maxHourlyCostNano: bigint | null
  readonly drainingS: number
  readonly metadata: Readonly<Record<string, string>>
}

/** A model version that an endpoint serves. */
export interface ServedVersion {
  /** UUID. */
  readonly id: string
  /** The name under which engines load it. */
  readonly adapter: string
}

/** A version that an endpoint answers as beside its own model, under a key of its own. */
export interface EndpointAdapter extends ServedVersion {
  readonly routingKey: string
}

/** What cannot be changed. */
interface FixedSettings {
  readonly id: string
  readonly workspaceId: string
  readonly routingKey: string
  readonly baseModel: string
  /** Its adapter answers; null: the base. */
  readonly version: ServedVersion | null
  readonly hardware: string
  readonly priceNanoPerHour: bigint
  readonly maxContextLength: number
  readonly precision: CreateDedicatedEndpoint['precision']
  /** Adapters that it may have; 0: its engines take none. */
  readonly maxAdapters: number
  readonly createdBy: string
}

export interface NewEndpoint extends EndpointSettings, FixedSettings {
  /** The body that created it, to recognize its repetition. */
  readonly request: CreateDedicatedEndpoint
  readonly adapters: readonly EndpointAdapter[]
}

/** A replica as the API shows it. */
export interface ShownReplica {
  readonly id: string
  readonly state: Exclude<ReplicaState, 'ended'>
  readonly createdAt: Date
  readonly readyAt: Date | null
  /** UUIDs of the versions that it was asked to answer as, and whether it does. */
  readonly adapters: readonly { readonly versionId: string; readonly isProven: boolean }[]
}

export interface DedicatedEndpoint extends EndpointSettings, FixedSettings, Pick<EndpointRow, 'state' | 'stoppingFor'> {
  readonly request: unknown
  readonly statusMessage: string | null
  readonly lastError: string | null
  readonly desired: number
  readonly replicas: readonly ShownReplica[]
  readonly adapters: readonly EndpointAdapter[]
  readonly traffic: Omit<Traffic, 'cacheUsed'>
  readonly spend: { readonly hourNano: bigint; readonly dayNano: bigint; readonly totalNano: bigint }
  readonly heldNano: bigint
  /** Milliseconds of the last starts; null without any. */
  readonly coldStartMs: { readonly p50: number | null; readonly p95: number | null }
  readonly createdAt: Date
}

export interface EndpointEvent {
  readonly id: string
  readonly at: Date
  readonly type: 'state' | 'replica' | 'changed'
  readonly state: EndpointRow['state']
  readonly replicaId: string | null
  readonly message: string
  readonly costNano: bigint
}

interface OfWorkspace {
  readonly workspaceId: string
  readonly id: string
}

/** Another endpoint or adapter has, or had, the routing key that was chosen. */
export class RoutingKeyTaken extends Error {
  override name = 'RoutingKeyTaken'
}

/** Endpoints as the API reads and changes them. */
export interface EndpointStore {
  /** Null when there was one with this id, which is deleted. @throws RoutingKeyTaken */
  create(endpoint: NewEndpoint): Promise<DedicatedEndpoint | null>
  /** Newest first, without deleted ones. */
  list(workspaceId: string): Promise<readonly DedicatedEndpoint[]>
  /** Also one that is being deleted; null for one that is. */
  get(of: OfWorkspace): Promise<DedicatedEndpoint | null>
  /** Null when it is being deleted. @throws RoutingKeyTaken */
  change(
    of: OfWorkspace,
    settings: EndpointSettings,
    adapters: readonly EndpointAdapter[],
  ): Promise<DedicatedEndpoint | null>
  /** Lets one that has stopped, failed or is scaled to zero start; null when it has not. */
  start(of: OfWorkspace): Promise<DedicatedEndpoint | null>
  /** Null when it has stopped, has failed or stops. */
  stop(of: OfWorkspace, reason: 'user' | 'delete'): Promise<DedicatedEndpoint | null>
  /** Newest first, at most 500. */
  events(of: OfWorkspace): Promise<readonly EndpointEvent[]>
  /** Replicas of all workspaces that have a machine, by hardware. */
  used(): Promise<ReadonlyMap<string, number>>
}

/** An endpoint that this process has leased. Only while it has the lease, its writes count. */
export interface DrivenEndpoint
  extends EndpointRow,
    Pick<FixedSettings, 'id' | 'workspaceId' | 'routingKey' | 'hardware' | 'createdBy'> {
  readonly generation: number
  /** Turns that failed since one succeeded, this one included. */
  readonly attempts: number
}

/** A window of a replica, as it is charged. */
export interface DueWindow {
  /** False: the ledger was only asked for its hold. */
  readonly isTaken: boolean
  readonly heldNano: bigint
  readonly costNano: bigint
}

type Step<K extends EndpointStep['kind']> = Extract<EndpointStep, { kind: K }>

/** Endpoints as workers change them. Changes do nothing when the lease was lost. */
export interface EndpointDriver {
  take(share: Share, leaseMs: number): Promise<readonly DrivenEndpoint[]>
  renew(endpoint: DrivenEndpoint, leaseMs: number): Promise<unknown>
  release(endpoint: DrivenEndpoint, after: { delayMs: number; failures: number }): Promise<void>
  /** Null when the lease was lost. */
  read(endpoint: DrivenEndpoint): Promise<DrivenEndpoint | null>
  world(endpoint: DrivenEndpoint): Promise<Omit<EndpointWorld, 'refused'>>
  /** Decides what a window that is over costs, for all time; null when it is posted. */
  due(endpoint: DrivenEndpoint, window: Pick<Step<'post'>, 'replicaId' | 'number'>): Promise<DueWindow | null>
  /** The ledger has the hold of a window that is over. */
  confirmHold(endpoint: DrivenEndpoint, window: Pick<Step<'post'>, 'replicaId' | 'number'>): Promise<void>
  /** `isPaid`: else nobody pays it. */
  post(
    endpoint: DrivenEndpoint,
    window: Pick<Step<'post'>, 'replicaId' | 'number'> & { readonly isPaid: boolean },
  ): Promise<void>
  /** The ledger is about to be asked for a hold. */
  ask(endpoint: DrivenEndpoint, window: Pick<Step<'hold'>, 'replicaId' | 'number' | 'amountNano'>): Promise<void>
  /** The ledger has the hold. A replica that was not paid for the window before is charged again from now on. */
  hold(endpoint: DrivenEndpoint, window: Pick<Step<'hold'>, 'replicaId' | 'number' | 'amountNano'>): Promise<void>
  forget(endpoint: DrivenEndpoint, replicaId: string): Promise<void>
  add(endpoint: DrivenEndpoint, replicaId: string): Promise<void>
  drain(endpoint: DrivenEndpoint, step: Step<'drain'>): Promise<void>
  end(endpoint: DrivenEndpoint, end: ReplicaEnd): Promise<void>
  scale(endpoint: DrivenEndpoint, scale: Scale): Promise<void>
  stop(endpoint: DrivenEndpoint, reason: Exclude<StopReason, 'user' | 'delete'>): Promise<void>
  enter(endpoint: DrivenEndpoint, step: Pick<Step<'enter'>, 'state' | 'message'>): Promise<void>
  applied(endpoint: DrivenEndpoint): Promise<void>
}
