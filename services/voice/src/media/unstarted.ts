import type { WebSocket } from 'ws'

/** WebSockets that have not said which call they are of, with a token. */
export interface Unstarted {
  /** The oldest of too many is closed: who has a token sends it at once. */
  add(websocket: WebSocket): void
  delete(websocket: WebSocket): void
}

const most = 200

export function createUnstarted(): Unstarted {
  const all = new Set<WebSocket>()
  return {
    add(websocket) {
      const [oldest] = all
      if (all.size >= most && oldest !== undefined) {
        all.delete(oldest)
        oldest.terminate()
      }
      all.add(websocket)
    },
    delete: (websocket) => void all.delete(websocket),
  }
}
