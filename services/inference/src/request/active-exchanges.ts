/** An exchange that is writing to its client. */
export interface ActiveExchange {
  /** Notes the cost so far in the ledger. */
  checkpoint(): void
  /** Ends the exchange now, with an error the client can read. */
  expire(): void
}

/** Every running stream of this process: what checkpoints and the end of a drain reach. */
export interface ActiveExchanges {
  readonly size: number
  /** Adds an exchange until the returned function is called. */
  enter(exchange: ActiveExchange): () => void
  checkpoint(): void
  expire(): void
}

export function createActiveExchanges(): ActiveExchanges {
  const active = new Set<ActiveExchange>()
  return {
    get size() {
      return active.size
    },
    enter(exchange) {
      active.add(exchange)
      return () => void active.delete(exchange)
    },
    checkpoint() {
      for (const exchange of active) exchange.checkpoint()
    },
    expire() {
      for (const exchange of [...active]) exchange.expire()
    },
  }
}
