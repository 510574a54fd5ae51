import { createFairPlaces } from '@ratchet/service-kit/timing/fair-places'
import type { SipAgent, SipAgentOptions } from '@ratchet/sip/agent/create-sip-agent'
import { createTrunks, type SipTrunk } from '@ratchet/sip/agent/trunks'
import type { NumberKey, StoredNumber } from '../numbers/number.ts'
import { trunkOf } from './find-number.ts'
import type { PhoneContext, PhoneDeps } from './phone-context.ts'
import { placeCall } from './place-call.ts'
import { takeCall } from './take-call.ts'
import { takeOver } from './take-over.ts'

export interface PhoneWorkerDeps extends PhoneDeps {
  readonly openAgent: (options: Pick<SipAgentOptions, 'trunks' | 'onInvite'>) => SipAgent
  /** The password of a number's trunk; null: it has none, or it cannot be read. */
  readonly passwordOf: (number: StoredNumber) => string | null
}

/** Calls of telephones that this process takes and makes. */
export interface PhoneWorker {
  /** Learns which numbers there are. To be called every second or so. */
  readNumbers(): Promise<void>
  /** Dials calls whose turn has come. To be called some times a second. */
  dial(): Promise<void>
  /** Says that calls still ring, and ends those that must stop. To be called every second. */
  renew(): Promise<void>
  /** Takes over calls of workers that died, and asks trunks whether they answer. To be called every second. */
  upkeep(): Promise<void>
  /** Takes and makes no more calls; those that ring may still be answered. */
  retire(): void
  /** Ends calls that ring. Resolves when it is written. */
  stop(): Promise<void>
  /** Whether an address belongs to a trunk. */
  isTrunk(host: string): boolean
}

/** A call is taken over when its worker was not seen for this long. It says that it lives every second. */
const awayMs = 3_000
/** After a failure of the database, workers have that long to say that they hold their calls. */
const mercyMs = 10_000
/** Calls that begin to come in at one time. A workspace with more has not the places of others. */
const takingPlaces = { places: 8, maxOfOwner: 2, maxWaitMs: 2_500, maxWaiting: { ofOwner: 20, ofAll: 400 } }
/** Calls that are dialed at one time. */
const atOnce = 20

export function createPhoneWorker(deps: PhoneWorkerDeps): PhoneWorker {
  return new LivePhones(deps)
}

interface KnownTrunk {
  /** Of its number. */
  readonly version: number
  readonly trunk: SipTrunk
}

class LivePhones implements PhoneWorker {
  readonly #deps: PhoneWorkerDeps
  readonly #context: PhoneContext
  /** Calls that are being dialed. */
  readonly #placing = new Set<Promise<void>>()
  #revision: string | null = null
  /** By their numbers. One that did not change stays the same: there may be thousands, and reading them takes long. */
  #trunks: ReadonlyMap<string, KnownTrunk> = new Map()
  #isRetired = false
  #notBeforeMs = Number.NEGATIVE_INFINITY

  constructor(deps: PhoneWorkerDeps) {
    this.#deps = deps
    this.#context = {
      ...deps,
      numbersNow: [],
      trunksNow: createTrunks([]),
      ringing: new Map(),
      taking: createFairPlaces(takingPlaces),
      readNumbers: () => this.readNumbers(),
      agent: deps.openAgent({
        trunks: [],
        onInvite: (call) => {
          if (this.#isRetired) call.refuse(503)
          else void takeCall(this.#context, call)
        },
      }),
    }
  }

  isTrunk(host: string): boolean {
    return this.#context.trunksNow.of(host) !== null
  }

  async readNumbers(): Promise<void> {
    const read = await this.#deps.work.numbers(this.#revision)
    if (read === null) return
    const before = this.#trunks
    this.#trunks = new Map(
      read.numbers.map((number) => {
        const known = before.get(number.id)
        return [number.id, known?.version === number.version ? known : this.#trunkOf(number)]
      }),
    )
    this.#context.trunksNow = this.#context.agent.setTrunks([...this.#trunks.values()].map(({ trunk }) => trunk))
    this.#context.numbersNow = read.numbers
    this.#revision = read.revision
  }

  #trunkOf(number: StoredNumber): KnownTrunk {
    return { version: number.version, trunk: trunkOf(number, this.#deps.passwordOf(number)) }
  }

  async dial(): Promise<void> {
    const { work, workerId } = this.#deps
    for (let taken = 0; taken < atOnce; taken++) {
      const found = await this.#withRoom(() => work.takeDue(workerId))
      if (found === null) return
      const placing = placeCall(this.#context, found.taken, found.free)
      this.#placing.add(placing)
      void placing.then(() => this.#placing.delete(placing))
    }
  }

  async renew(): Promise<void> {
    const { work, workerId } = this.#deps
    const { ringing } = this.#context
    const renewed = await work.renewRinging(workerId, [...ringing.keys()])
    for (const { id, isStopRequested } of renewed) if (isStopRequested) ringing.get(id)?.('api')
  }

  async upkeep(): Promise<void> {
    const { nowMs } = this.#deps
    try {
      if (nowMs() >= this.#notBeforeMs) await this.#takeOverLeft()
      await this.#hangUpUnclosed()
      await this.#checkTrunks()
    } catch (error) {
      this.#notBeforeMs = nowMs() + mercyMs
      throw error
    }
  }

  retire(): void {
    this.#isRetired = true
  }

  async stop(): Promise<void> {
    this.retire()
    for (const stop of this.#context.ringing.values()) stop('worker')
    await Promise.all(this.#placing)
  }

  async #takeOverLeft(): Promise<void> {
    const { work, workerId, onError } = this.#deps
    for (let taken = 0; taken < atOnce; taken++) {
      const found = await this.#withRoom(() => work.takeLeft(workerId, awayMs))
      if (found === null) return
      void takeOver(this.#context, found.taken)
        .catch((error) => onError(error, { callId: found.taken.call.id }))
        .finally(found.free)
    }
  }

  /** Takes a call when there is room for it. */
  async #withRoom<T>(take: () => Promise<T | null>): Promise<{ readonly taken: T; readonly free: () => void } | null> {
    const free = this.#isRetired ? null : this.#deps.worker.reserve()
    if (free === null) return null
    let taken: T | null = null
    try {
      taken = await take()
    } finally {
      if (taken === null) free()
    }
    return taken === null ? null : { taken, free }
  }

  async #hangUpUnclosed(): Promise<void> {
    const { trunksNow, agent } = this.#context
    for (let closed = 0; closed < atOnce; closed++) {
      const left = await this.#deps.work.takeUnclosed()
      if (left === null) return
      if (trunksNow.byId(left.dialog.trunkId) !== null) agent.abandon(left.dialog)
    }
  }

  async #checkTrunks(): Promise<void> {
    const { work, onError } = this.#deps
    const asked = await work.takeChecks()
    // A number may be newer than what this worker knows.
    if (asked.length > 0) await this.readNumbers()
    for (const key of asked) void this.#check(key).catch((error) => onError(error))
  }

  async #check(key: NumberKey): Promise<void> {
    const { trunksNow, agent } = this.#context
    const answeredMs = trunksNow.byId(key.id) === null ? null : await agent.ping(key.id)
    await this.#deps.work.saveCheck(key, answeredMs === null ? null : Math.round(answeredMs))
  }
}
