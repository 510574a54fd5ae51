/** What a workspace has, and how much of it is promised to running requests. Nano-dollars. */
export interface WalletBalance {
  readonly balanceNano: bigint
  readonly heldNano: bigint
}

/** Wallets, for those who want to know before they spend. */
export interface WalletReads {
  /** One that was never credited is empty. */
  read(workspaceId: string): Promise<WalletBalance>
}
