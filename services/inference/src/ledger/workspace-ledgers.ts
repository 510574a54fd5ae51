/** Which ledger each workspace belongs to, as one database states it. A workspace stays in its ledger. */
export interface WorkspaceLedgers {
  /** The name; a promise when it has to be read. @throws LedgerUnavailable when it cannot be read, or is not stated */
  of(workspaceId: string): string | Promise<string>
}
