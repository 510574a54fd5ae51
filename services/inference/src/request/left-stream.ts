import type { AbandonedCalls } from './abandoned-calls.ts'

/** The state of a stream at the moment in which its client disconnects, or in which its provider accepts it after that. */
export interface LeftStream {
  /** True when the provider accepted the request. */
  readonly isAccepted: boolean
  /** True when the usage of the complete answer is known. */
  readonly isUsageFinal: boolean
  /** True when the answer is complete, apart from its usage. */
  readonly isFinished: boolean
  /** True when only the usage states all that the model generates. */
  readonly hidesReasoning: boolean
  /** True while a tool of the provider runs, which is paid when it succeeds. */
  readonly hasOpenCalls: boolean
}

/** Milliseconds for which the head of an answer is awaited. A provider refuses or accepts a request much earlier. */
const headGraceMs = 60_000
/** Milliseconds for which the usage frame of a complete answer is awaited. */
const usageGraceMs = 250
/** The same for an answer whose model may have reasoned without showing it, or whose provider runs a tool. */
const reasoningGraceMs = 10_000

/** Milliseconds for which a stream continues without its client, so that its charge is known; 0 when it is known. */
export function graceMs({ isAccepted, isUsageFinal, isFinished, hidesReasoning, hasOpenCalls }: LeftStream): number {
  if (!isAccepted) return headGraceMs
  if (isUsageFinal) return 0
  if (hidesReasoning || hasOpenCalls) return reasoningGraceMs
  return isFinished ? usageGraceMs : 0
}

type Debt = 'what was counted' | 'the prompt' | 'the hold'

/**
 * What a stream pays that must be stopped at once, because too many continue without their clients. It cannot be known
 * any more, and if it were nothing, opening many streams would be the way to call models for nothing.
 */
function debtWithoutGrace({ isAccepted, hidesReasoning }: LeftStream): Debt {
  if (!isAccepted) return 'the prompt'
  return hidesReasoning ? 'the hold' : 'what was counted'
}

export interface StayOptions {
  readonly abandoned: AbandonedCalls
  readonly workspaceId: string
  /** Stops the stream and charges it. */
  readonly stop: () => void
}

/** The time for which a stream continues without its client. */
export class Stay {
  readonly #options: StayOptions
  #leave: (() => void) | null = null
  /** What the stream pays when it is charged. */
  debt: Debt = 'what was counted'

  constructor(options: StayOptions) {
    this.#options = options
  }

  get isContinuing(): boolean {
    return this.#leave !== null
  }

  /** Begins or changes the time, after which the stream is stopped. False when it must be stopped and charged now. */
  extend(left: LeftStream): boolean {
    const { abandoned, workspaceId, stop } = this.#options
    this.end()
    const maxMs = graceMs(left)
    if (maxMs === 0) return false
    this.#leave = abandoned.enter({ workspaceId, maxMs, stop })
    // At the end of a drain it is not the client that leaves, and a place may be missing because of other workspaces.
    if (this.#leave === null && !abandoned.isExpired && abandoned.hasMany(workspaceId))
      this.debt = debtWithoutGrace(left)
    return this.#leave !== null
  }

  /** Must be called when the stream is charged. */
  end(): void {
    this.#leave?.()
    this.#leave = null
  }
}
