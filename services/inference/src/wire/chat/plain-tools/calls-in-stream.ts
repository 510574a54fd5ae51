import { mebibyte } from '@ratchet/contracts/byte-sizes'
import { editTopLevel } from '@ratchet/service-kit/json/edit-json'
import type { SseEvent } from '@ratchet/service-kit/sse/read-event'
import { createSseReader, type SseReader } from '@ratchet/service-kit/sse/read-events'
import { asList, asObject, asText, type Fields } from '@ratchet/service-kit/values/json'
import { customInput } from '../../custom-tools.ts'
import type { ProviderRequest } from '../../provider.ts'
import { RecordRoom } from '../../record-room.ts'
import type { StreamConverter, StreamFacts } from '../../stream-converter.ts'
import { CallSlots } from '../call-slots.ts'
import { readObject } from '../read-reply.ts'
import { olderReason } from './calls-in-reply.ts'
import { customToolNames, hasOlderFunctions } from './to-plain-tools.ts'

/** Rewrites the calls in a chat completion stream to the form in which the request offered the tools. */
export function callsInStream(request: ProviderRequest): StreamConverter {
  return new Converter(request)
}

/** Maximum bytes of one frame. */
const maxFrameBytes = 4 * mebibyte
/** Maximum of any provider. It bounds the memory that a hostile provider can fill. */
const maxChoices = 128

interface CallDraft {
  isCustom: boolean
  /** Of a custom tool: its input is known at their end. */
  readonly pieces: string[]
}

type Calls = CallSlots<CallDraft>

class Converter implements StreamConverter {
  /** All that was read is in the converted frames. */
  readonly facts: StreamFacts = { usage: null, hiddenTokens: 0 }
  readonly #reader: SseReader
  readonly #custom: ReadonlySet<string>
  readonly #isOlder: boolean
  readonly #room: RecordRoom
  readonly #choices = new Map<unknown, Calls>()
  #isOver = false

  constructor({ body, limits }: ProviderRequest) {
    this.#reader = createSseReader({ maxEventBytes: maxFrameBytes, reserve: limits.reserve })
    this.#room = new RecordRoom(limits.reserve)
    this.#custom = customToolNames(body)
    this.#isOlder = hasOlderFunctions(body)
  }

  push(chunk: Buffer): Buffer {
    return Buffer.concat(this.#reader.push(chunk).map((event) => this.#convert(event)))
  }

  end(): Buffer {
    const rest = this.#reader.end()
    return rest === null ? Buffer.alloc(0) : this.#convert(rest)
  }

  #convert({ data, raw }: SseEvent): Buffer {
    if (this.#isOver) return Buffer.alloc(0)
    const read = data === null ? null : readObject(data)
    if (data === null || read === null || !Array.isArray(read.body.choices) || read.body.choices.length === 0)
      return raw
    const choices = read.body.choices.map((value) => this.#choice(asObject(value) ?? {}))
    if (this.#room.isFull) return this.#fail()
    const edited = editTopLevel(data, read.scan, { choices: JSON.stringify(choices) })
    return Buffer.from(`data: ${edited.toString().replaceAll('\n', '\ndata: ')}\n\n`)
  }

  #choice(choice: Fields): Fields {
    const { index = 0, finish_reason: reason } = choice
    const calls = this.#choices.get(index) ?? new CallSlots<CallDraft>(() => ({ isCustom: false, pieces: [] }))
    if (this.#choices.size < maxChoices) this.#choices.set(index, calls)
    const { tool_calls: given, ...delta } = asObject(choice.delta) ?? {}
    const written = asList(given).flatMap((call, place) => this.#call(calls, asObject(call) ?? {}, place))
    const ended = typeof reason === 'string' && reason !== ''
    if (this.#isOlder) {
      const [called] = written
      const older = called === undefined ? delta : { ...delta, function_call: called.function }
      return { ...choice, delta: older, ...(ended ? { finish_reason: olderReason(reason) } : {}) }
    }
    const all = [...written, ...(ended ? inputsOf(calls) : [])]
    return { ...choice, delta: all.length === 0 ? delta : { ...delta, tool_calls: all } }
  }

  #call(calls: Calls, call: Fields, place: number): Fields[] {
    const called = asObject(call.function) ?? {}
    const name = asText(called.name)
    const draft = calls.of({ index: call.index, id: call.id, name }, place)
    if (draft === null) return []
    // The older form has room for one call.
    if (this.#isOlder) return draft === calls.all[0]?.call ? [call] : []
    const begins = !draft.isCustom && name !== null && this.#custom.has(name)
    if (begins) draft.isCustom = true
    if (!draft.isCustom) return [call]
    this.#room.takePiece(asText(called.arguments) ?? '')
    draft.pieces.push(asText(called.arguments) ?? '')
    const { function: _arguments, ...rest } = call
    const index = calls.all.find((slot) => slot.call === draft)?.index
    return begins ? [{ ...rest, index, type: 'custom', custom: { name, input: '' } }] : []
  }

  #fail(): Buffer {
    this.#isOver = true
    const error = { message: 'The provider sent an answer that is too large.', code: 'upstream_error' }
    return Buffer.from(`data: ${JSON.stringify({ error })}\n\n`)
  }
}

/** The inputs of custom tools, once all arguments have arrived. */
function inputsOf(calls: Calls): Fields[] {
  return calls.all.flatMap(({ index, call }) => {
    const text = call.pieces.splice(0).join('')
    return call.isCustom && text !== '' ? [{ index, custom: { input: customInput(text) } }] : []
  })
}
