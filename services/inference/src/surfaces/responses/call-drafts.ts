import { asObject, asText, type Fields } from './fields.ts'
import type { ItemOutline } from './item-outline.ts'
import type { OutputCall } from './output-item.ts'

/** The most calls that are told apart; bounds what is remembered of a hostile provider. */
const MAX_CALLS = 1_024

/** A call that has no name yet, and what came of its arguments. */
interface EarlyCall {
  readonly id: string
  readonly arguments: string
}

/** The function calls of one response while they come, which may be interleaved. */
export class CallDrafts {
  /** Characters of all names and arguments. */
  characters = 0
  readonly #outline: ItemOutline
  readonly #onBegin: () => void
  readonly #calls = new Map<number, OutputCall>()
  readonly #early = new Map<number, EarlyCall>()
  readonly #callIds = new Set<string>()

  /** @param onBegin called before each call's item begins */
  constructor(outline: ItemOutline, onBegin: () => void) {
    this.#outline = outline
    this.#onBegin = onBegin
  }

  /** @param place where the delta stands among those of its chunk */
  add(delta: Fields, place: number): void {
    const index = this.#indexOf(delta, place)
    const told = asObject(delta.function) ?? {}
    const came = { id: asText(delta.id) ?? '', arguments: asText(told.arguments) ?? '' }
    this.characters += came.arguments.length
    const call = this.#calls.get(index) ?? this.#callNamed(index, asText(told.name) ?? '', came.id)
    if (call === null) this.#keepEarly(index, came)
    else this.#addArguments(call, came.arguments)
  }

  finish(status: 'completed' | 'incomplete'): void {
    for (const call of this.#calls.values()) {
      this.#outline.tell('response.function_call_arguments.done', call, { arguments: call.arguments })
      this.#outline.end(call, status)
    }
    this.#calls.clear()
  }

  /** Some vendors leave the index out: then an id begins a call, and what has none goes on with the last one. */
  #indexOf({ index, id }: Fields, place: number): number {
    if (typeof index === 'number') return index
    const count = this.#calls.size + this.#early.size
    return asText(id) === null ? Math.max(count - 1, place) : count
  }

  /** Begins the call now that it has its name, with what came before that; null while it has none. */
  #callNamed(index: number, name: string, id: string): OutputCall | null {
    if (name === '' || this.#calls.size >= MAX_CALLS) return null
    const early = this.#early.get(index)
    this.#early.delete(index)
    const call = this.#begin(name, early === undefined || early.id === '' ? id : early.id)
    this.#calls.set(index, call)
    this.#addArguments(call, early?.arguments ?? '')
    return call
  }

  #begin(name: string, given: string): OutputCall {
    this.#onBegin()
    const id = this.#outline.nextId('fc')
    const call_id = given === '' || this.#callIds.has(given) ? `call_${id.slice(3)}` : given
    this.#callIds.add(call_id)
    const call: OutputCall = { type: 'function_call', id, call_id, name, arguments: '', status: 'in_progress' }
    this.characters += name.length
    this.#outline.begin(call)
    return call
  }

  #keepEarly(index: number, came: EarlyCall): void {
    const early = this.#early.get(index)
    if (early === undefined && this.#early.size >= MAX_CALLS) return
    const id = early === undefined || early.id === '' ? came.id : early.id
    this.#early.set(index, { id, arguments: (early?.arguments ?? '') + came.arguments })
  }

  #addArguments(call: OutputCall, delta: string): void {
    if (delta === '') return
    call.arguments += delta
    this.#outline.tell('response.function_call_arguments.delta', call, { delta })
  }
}
