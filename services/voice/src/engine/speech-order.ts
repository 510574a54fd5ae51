/** Puts the audio of pieces that are synthesized at the same time into the order of the pieces. */
export interface SpeechOrder {
  /** A piece is synthesized, behind those that began before it; again for one that failed. */
  begin(piece: number): void
  /** Carries out what concerns a piece now, or when those before it have ended. */
  whenItsTurn(piece: number, action: () => void): void
  /** No more audio of it will come. */
  end(piece: number): void
}

export function createSpeechOrder(): SpeechOrder {
  /** Actions that wait, by piece, in the order of the pieces. Those of the first piece do not wait. */
  const waiting = new Map<number, (() => void)[]>()
  const isFirst = (piece: number) => waiting.keys().next().value === piece
  return {
    begin(piece) {
      waiting.set(piece, [])
    },
    whenItsTurn(piece, action) {
      if (isFirst(piece)) action()
      else waiting.get(piece)?.push(action)
    },
    end(piece) {
      const wasFirst = isFirst(piece)
      waiting.delete(piece)
      if (!wasFirst) return
      const [next] = waiting
      if (next === undefined) return
      const [following, actions] = next
      waiting.set(following, [])
      for (const action of actions) action()
    },
  }
}
