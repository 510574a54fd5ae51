/** The most calls that are told apart; bounds what is remembered of a hostile provider. */
const MAX_CALLS = 1_024

/** What tells which call a delta goes on with. */
export interface CallDelta {
  readonly index: unknown
  readonly id: unknown
  /** The name of the function, which only a call that begins has to tell. */
  readonly name: unknown
}

/** A call that deltas go on with. */
export interface CallSlot<Call> {
  readonly index: number
  readonly call: Call
}

interface KnownSlot<Call> extends CallSlot<Call> {
  /** As the provider gave it first; empty while it has not. */
  id: string
}

/** Tells the tool calls of one answer apart while their deltas come, which vendors number in different ways. */
export class CallSlots<Call> {
  readonly #begin: () => Call
  readonly #slots: KnownSlot<Call>[] = []
  /** The slot that each index stands for now. */
  readonly #current = new Map<number, KnownSlot<Call>>()

  /** @param begin makes what is remembered of a call */
  constructor(begin: () => Call) {
    this.#begin = begin
  }

  /** In the order in which they began. */
  get all(): readonly CallSlot<Call>[] {
    return this.#slots
  }

  /**
   * The call that a delta goes on with, which may be a new one; null when there are too many.
   *
   * @param place where the delta stands among those of its chunk
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
   * Some vendors number every call alike and give each an id of its own; others invent a new id for every delta. Only
   * a delta that names its function can begin another call.
   */
  #indexed(index: number, { id, name }: CallDelta): KnownSlot<Call> | undefined {
    const slot = this.#current.get(index)
    const isOther = slot !== undefined && slot.id !== '' && isWritten(id) && slot.id !== id
    return isOther && isWritten(name) ? undefined : slot
  }

  /** Some vendors leave the index out: then an id begins a call, and what has none goes on with the last one. */
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
