/** A grade that waits to be sent. */
export interface OutboxEntry {
  readonly gradeId: string
  readonly slug: string
  /** The user who gave it: somebody else in the same browser must not send it. */
  readonly userId: string
  readonly roundId: string
  readonly claimId: string
  readonly itemId: string
  readonly label: 'pass' | 'fail' | 'unsure'
  readonly reasons: readonly string[]
  readonly rationale: string | null
  readonly shownMs: number
  /** Whether the last step of a run was on screen. */
  readonly seenAll: boolean
  /** Milliseconds of the epoch. Until then it can be taken back. */
  readonly dueMs: number
}

/** Where entries outlive a reload. */
export interface OutboxStore {
  readonly all: () => Promise<readonly OutboxEntry[]>
  readonly put: (entry: OutboxEntry) => Promise<void>
  readonly has: (gradeId: string) => Promise<boolean>
  readonly remove: (gradeId: string) => Promise<void>
}

export interface OutboxState {
  /** In the order in which they were given. */
  readonly waiting: readonly OutboxEntry[]
  /** Since when nothing could be sent, as milliseconds of the epoch; null while it works. */
  readonly failingSinceMs: number | null
  /** What the server said about a grade that it will never take. */
  readonly refused: readonly string[]
}

export interface OutboxDeps {
  readonly store: OutboxStore
  /** Rejects when the grade did not arrive. */
  readonly send: (entry: OutboxEntry) => Promise<void>
  /** Whether the same grade may be taken later. */
  readonly mayRetry: (error: unknown) => boolean
  readonly now: () => number
  readonly wait: (ms: number) => { readonly done: Promise<void>; readonly end: () => void }
}

export const undoMs = 5_000
const firstRetryMs = 1_000
const maxRetryMs = 10_000

/**
 * Sends grades one after the other, in their order, some seconds after they were given, and again until they arrive. Sending
 * twice does no harm, because the server knows a grade by its id.
 */
export class Outbox {
  readonly #deps: OutboxDeps
  readonly #listeners = new Set<() => void>()
  #state: OutboxState = { waiting: [], failingSinceMs: null, refused: [] }
  #sendsId: string | null = null
  #isRunning = false
  #pause: ReturnType<OutboxDeps['wait']> | null = null

  constructor(deps: OutboxDeps) {
    this.#deps = deps
  }

  readonly state = (): OutboxState => this.#state

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Continues with what an earlier visit of the user left. */
  async load(userId: string, slug: string): Promise<void> {
    const rows = await this.#deps.store.all()
    const known = new Set(this.#state.waiting.map(({ gradeId }) => gradeId))
    const left = rows.filter((entry) => entry.userId === userId && entry.slug === slug && !known.has(entry.gradeId))
    this.#change({ waiting: [...left].sort((a, b) => a.dueMs - b.dueMs).concat(this.#state.waiting) })
    void this.#run()
  }

  async add(entry: OutboxEntry): Promise<void> {
    this.#change({ waiting: [...this.#state.waiting, entry] })
    await this.#deps.store.put(entry)
    void this.#run()
  }

  /** Takes a grade back; false when it was sent already. */
  takeBack(gradeId: string): boolean {
    if (this.#sendsId === gradeId || !this.#state.waiting.some((entry) => entry.gradeId === gradeId)) return false
    this.#change({ waiting: this.#without(gradeId) })
    void this.#deps.store.remove(gradeId)
    this.wake()
    return true
  }

  /** Tries again without waiting longer, because the network is back. */
  readonly wake = (): void => this.#pause?.end()

  /** Sends all now. They cannot be taken back any more. */
  readonly sendNow = (): void => {
    const at = this.#deps.now()
    this.#change({ waiting: this.#state.waiting.map((entry) => ({ ...entry, dueMs: Math.min(entry.dueMs, at) })) })
    this.wake()
  }

  #change(changes: Partial<OutboxState>): void {
    this.#state = { ...this.#state, ...changes }
    for (const listener of this.#listeners) listener()
  }

  #without(gradeId: string): readonly OutboxEntry[] {
    return this.#state.waiting.filter((entry) => entry.gradeId !== gradeId)
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return
    this.#isRunning = true
    let failures = 0
    for (let [entry] = this.#state.waiting; entry !== undefined; [entry] = this.#state.waiting) {
      const delay = failures > 0 ? retryMs(failures) : entry.dueMs - this.#deps.now()
      if (delay > 0) {
        this.#pause = this.#deps.wait(delay)
        await this.#pause.done
        this.#pause = null
        if (this.#state.waiting[0] !== entry) continue
      }
      failures = (await this.#deliver(entry)) ? 0 : failures + 1
    }
    this.#isRunning = false
  }

  /** Whether the entry is done with. */
  async #deliver(entry: OutboxEntry): Promise<boolean> {
    const { store, send, mayRetry, now } = this.#deps
    this.#sendsId = entry.gradeId
    try {
      // Another tab may have sent it, or taken it back.
      if (await store.has(entry.gradeId)) await send(entry)
    } catch (error) {
      if (mayRetry(error)) {
        this.#sendsId = null
        this.#change({ failingSinceMs: this.#state.failingSinceMs ?? now() })
        return false
      }
      const message = error instanceof Error ? error.message : 'A grade was refused.'
      this.#change({ refused: [...this.#state.refused, message] })
    }
    this.#sendsId = null
    this.#change({ waiting: this.#without(entry.gradeId), failingSinceMs: null })
    await store.remove(entry.gradeId)
    return true
  }
}

function retryMs(failures: number): number {
  return Math.min(maxRetryMs, firstRetryMs * 2 ** (failures - 1))
}
