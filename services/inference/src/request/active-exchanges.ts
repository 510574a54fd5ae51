/** A stream that is being written to its client. */
export interface ActiveExchange {
  /** Records the cost so far in the ledger. */
  checkpoint(): void
  /** Ends the stream now, with an error frame. */
  expire(): void
}

/** All running streams of this process, for periodic checkpoints and for the end of a drain. */
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
