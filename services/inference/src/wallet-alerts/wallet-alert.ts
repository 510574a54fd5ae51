export interface WalletAlert {
  readonly thresholdNano: bigint
  readonly isBelow: boolean
  readonly changedAt: Date | null
}

export interface WatchedAlert extends WalletAlert {
  readonly workspaceId: string
}

export interface WalletAlerts {
  /** Null when none is set. */
  read(workspaceId: string): Promise<WalletAlert | null>
  /** Sets the threshold, or removes the alert with null. A new threshold is compared anew. */
  set(alert: {
    readonly workspaceId: string
    readonly userId: string
    readonly thresholdNano: bigint | null
  }): Promise<void>
}

export interface AlertStore extends WalletAlerts {
  /** Alerts of all workspaces. */
  all(): Promise<readonly WatchedAlert[]>
  /** Notes that a wallet fell below its threshold or is above it again; once per crossing, whoever notes it. */
  cross(crossing: {
    readonly workspaceId: string
    readonly thresholdNano: bigint
    readonly availableNano: bigint
    readonly at: Date
    /** The id of the event, for a fall. */
    readonly eventId: string | null
  }): Promise<void>
}

export interface WatchDeps {
  readonly alerts: Pick<AlertStore, 'all' | 'cross'>
  readonly wallet: (
    workspaceId: string,
  ) => Promise<{ readonly balanceNano: bigint; readonly heldNano: bigint; readonly inBlocksNano: bigint }>
  readonly newId: () => string
  readonly now: () => Date
  readonly onError: (error: unknown) => void
}

/**
 * Compares every wallet with an alert. Blocks that processes hold for requests to come are not spent, so they count as
 * available: an alert must not depend on how many processes run. A wallet that cannot be read delays no other.
 */
export async function compareWallets({ alerts, wallet, newId, now, onError }: WatchDeps): Promise<void> {
  for (const { workspaceId, thresholdNano, isBelow } of await alerts.all()) {
    try {
      const { balanceNano, heldNano, inBlocksNano } = await wallet(workspaceId)
      const availableNano = balanceNano - heldNano + inBlocksNano
      const isNowBelow = availableNano < thresholdNano
      if (isNowBelow === isBelow) continue
      const eventId = isNowBelow ? newId() : null
      await alerts.cross({ workspaceId, thresholdNano, availableNano, at: now(), eventId })
    } catch (error) {
      onError(error)
    }
  }
}
