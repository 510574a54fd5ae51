export type Fields = Readonly<Record<string, unknown>>

/** The JSON object that is `text`, or null when it is none. Its fields hold whatever the provider sent. */
export function parseChunk(text: string): Fields | null {
  try {
    return asObject(JSON.parse(text))
  } catch {
    return null
  }
}

export function asObject(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null
}

/** Whether a provider that has already answered 200 says in this chunk that it failed. */
export function isErrorChunk({ error, object }: Fields): boolean {
  return object === 'error' || (error !== undefined && error !== null && error !== false && error !== '')
}

const MAX_MESSAGE_LENGTH = 1_000

/** What an error chunk says, where it says it in one of the usual places. */
export function errorMessageOf({ error, message }: Fields): string | null {
  const said = asObject(error)?.message ?? message ?? error
  return typeof said === 'string' ? said.slice(0, MAX_MESSAGE_LENGTH) : null
}

/** The usage that a chunk carries, wherever this vendor puts it: at the top, under `x_groq`, or in a choice. */
export function usageOf({ usage, x_groq, choices }: Fields): unknown {
  return usage ?? asObject(x_groq)?.usage ?? asObject(listOf(choices)[0])?.usage
}

/** A piece of what a model writes into one choice. */
export interface Piece {
  readonly kind: 'content' | 'reasoning' | 'refusal' | 'tool_id' | 'tool_name' | 'tool_arguments'
  /** Never empty. */
  readonly text: string
  /** Which of the choice's tool calls it belongs to, 0 for the other kinds. */
  readonly call: number
}

/** The pieces in a choice's `delta` (or whole `message`), in the order in which they are listed above. */
export function piecesOf(delta: Fields): Piece[] {
  const { content, refusal, reasoning_content, reasoning, audio, tool_calls, function_call } = delta
  const pieces: Piece[] = []
  addPiece(pieces, { kind: 'content', text: textOf(content ?? asObject(audio)?.transcript), call: 0 })
  addPiece(pieces, { kind: 'reasoning', text: textOf(reasoning_content ?? reasoning), call: 0 })
  addPiece(pieces, { kind: 'refusal', text: textOf(refusal), call: 0 })
  for (const [position, call] of listOf(tool_calls).entries()) addCall(pieces, asObject(call), position)
  if (function_call !== undefined) addCall(pieces, { function: function_call }, 0)
  return pieces
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function addCall(pieces: Piece[], call: Fields | null, position: number): void {
  if (call === null) return
  const index = Number.isSafeInteger(call.index) ? (call.index as number) : position
  const called = asObject(call.function) ?? asObject(call.custom)
  addPiece(pieces, { kind: 'tool_id', text: textOf(call.id), call: index })
  addPiece(pieces, { kind: 'tool_name', text: textOf(called?.name), call: index })
  addPiece(pieces, { kind: 'tool_arguments', text: textOf(called?.arguments ?? called?.input), call: index })
}

function addPiece(pieces: Piece[], piece: Piece): void {
  if (piece.text !== '') pieces.push(piece)
}

/** Text is a string or, for some vendors, a list of parts, of which a thinking part has a list of its own. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : listOf(value).map(partText).join('')
}

function partText(value: unknown): string {
  const part = asObject(value)
  if (typeof part?.text === 'string') return part.text
  return listOf(part?.thinking)
    .map((thought) => asObject(thought)?.text)
    .filter((text) => typeof text === 'string')
    .join('')
}
