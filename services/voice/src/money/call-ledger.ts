/** A hold of a slice, in the ledger of its workspace. */
export interface SliceHold {
  readonly workspaceId: string
  /** UUID. */
  readonly holdId: string
}

export interface TakenSlice extends SliceHold {
  readonly agentId: string
  readonly voice: string
  /** The worker; null: nobody has the call yet. */
  readonly ownerId: string | null
  readonly amountNano: bigint
}

/** `closed`: it was settled, released, or swept because its worker died. */
export type SliceOutcome = 'held' | 'refused' | 'closed'

/** The money of slices, in the ledger of inference. @throws FleetCallError when it does not answer */
export interface CallLedger {
  /** What is free in the wallet. */
  available(workspaceId: string): Promise<bigint>
  hold(slice: TakenSlice): Promise<SliceOutcome>
  /** What slices have cost until now. It also says that the worker lives. */
  checkpoint(ownerId: string, slices: readonly (SliceHold & { readonly costNano: bigint })[]): Promise<void>
  /** @returns what was charged in all */
  settle(slice: SliceHold, costNano: bigint): Promise<bigint>
  release(slice: SliceHold): Promise<bigint>
  /** Costs of requests to models; null while one runs. One that is missing cost nothing, or is not known yet. */
  charges(workspaceId: string, requestIds: readonly string[]): Promise<ReadonlyMap<string, bigint | null>>
}
