/** More calls than any answer has. It bounds the memory that a hostile provider can fill. */
const MAX_CALLS = 1_024

/** The members of a delta that identify its tool call. */
export interface CallDelta {
  readonly index: unknown
  readonly id: unknown
  /** The name of the function. Only the first delta of a call must have it. */
  readonly name: unknown
}

/** A tool call that later deltas continue. */
export interface CallSlot<Call> {
  readonly index: number
  readonly call: Call
}

interface KnownSlot<Call> extends CallSlot<Call> {
  /** The first id that the provider gave the call; empty before that. */
  id: string
}

/** Assigns the deltas of one answer to its tool calls. Providers number the calls in different ways. */
export class CallSlots<Call> {
  readonly #begin: () => Call
  readonly #slots: KnownSlot<Call>[] = []
  /** The call that each index currently stands for. */
  readonly #current = new Map<number, KnownSlot<Call>>()

  /** @param begin creates the data that is stored for a call */
  constructor(begin: () => Call) {
    this.#begin = begin
  }

  /** All calls in the order in which they began. */
  get all(): readonly CallSlot<Call>[] {
    return this.#slots
  }

  /**
   * The call that a delta continues, or a new one; null when there are too many.
   *
   * @param place index of the delta in the list of its chunk
   */
  of(delta: CallDelta, place: number): Call | null {
    const id = textOf(delta.id) ?? ''
    const known = typeof delta.index === 'number' ? this.#indexed(delta.index, delta) : this.#loose(delta, place)
    if (known !== undefined) {
      if (known.id === '') known.id = id
      return known.call
    }
    return this.#slots.length >= MAX_CALLS ? null : this.#add(delta.index, id)
  }

  /**
   * Some providers give every call the same index and an id of its own; others give every delta a new id. So only a
   * delta that names its function can begin another call.
   */
  #indexed(index: number, { id, name }: CallDelta): KnownSlot<Call> | undefined {
    const slot = this.#current.get(index)
    const isOther = slot !== undefined && slot.id !== '' && isWritten(id) && slot.id !== id
    return isOther && isWritten(name) ? undefined : slot
  }

  /**
   * Some providers leave the index out. Then a delta with an id begins a call, and one without an id continues the last
   * call.
   */
  #loose({ id }: CallDelta, place: number): KnownSlot<Call> | undefined {
    if (textOf(id) === null) return this.#slots[Math.max(this.#slots.length - 1, place)]
    return isWritten(id) ? this.#slots.find((slot) => slot.id === id) : undefined
  }

  #add(given: unknown, id: string): Call {
    const index = typeof given === 'number' ? given : this.#slots.length
    const slot = { index, id, call: this.#begin() }
    this.#slots.push(slot)
    this.#current.set(index, slot)
    return slot.call
  }
}

function isWritten(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
