import type { CallEventBody, SpokenNow, WrittenTurn } from './call.ts'
import type { CallWork, HeldCall } from './call-work.ts'
import type { SpokenSeal } from './spoken-seal.ts'

/** Writes what happens in a call, in order and off the path of its audio. */
export interface CallJournal {
  turn(turn: WrittenTurn): void
  event(event: CallEventBody): void
  /** What the agent is saying has changed. */
  speaks(spokenNow: SpokenNow | null): void
  /** Writes what has come until now; a failure is tried again with the next call of it. */
  flush(): Promise<void>
  /** Whether everything is written. */
  readonly isEmpty: boolean
}

export interface JournalDeps {
  readonly work: Pick<CallWork, 'write'>
  readonly call: HeldCall
  readonly seal: Pick<SpokenSeal, 'seal'>
  readonly now: () => Date
  /** Another worker holds the call. */
  readonly onLost: () => void
  readonly onError: (error: unknown) => void
}

/** Characters that wait while the database is away. Of more than that, only turns are kept. */
const maxWaiting = 1_000_000

export function createCallJournal({ work, call, seal, now, onLost, onError }: JournalDeps): CallJournal {
  let turns: WrittenTurn[] = []
  let events: CallEventBody[] = []
  let spokenNow: SpokenNow | null = null
  let hasSpoken = false
  let waiting = 0
  let running: Promise<void> | null = null

  async function write(): Promise<void> {
    const added = { turns, events, spokenNow: spokenNow && seal.seal(call, spokenNow), at: now() }
    hasSpoken = false
    turns = []
    events = []
    try {
      const isHeld = await work.write(call, added)
      waiting = 0
      if (!isHeld) onLost()
    } catch (error) {
      hasSpoken = true
      turns = [...added.turns, ...turns]
      events = [...added.events, ...events]
      onError(error)
    }
  }

  return {
    turn(turn) {
      turns.push(turn)
      waiting += turn.text.length
    },
    event(event) {
      if (waiting > maxWaiting) return
      // What was recognized so far is only news until there is more of it.
      if (event.kind === 'partial' && events.at(-1)?.kind === 'partial') events.pop()
      events.push(event)
      waiting += JSON.stringify(event.body).length
    },
    speaks(now) {
      hasSpoken ||= now !== spokenNow
      spokenNow = now
    },
    async flush() {
      await running
      if (turns.length === 0 && events.length === 0 && !hasSpoken) return
      running = write()
      await running
      running = null
    },
    get isEmpty() {
      return turns.length === 0 && events.length === 0 && !hasSpoken
    },
  }
}
