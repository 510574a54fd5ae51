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

/**
 * The pieces of text that a model wrote in a choice's `delta` (or whole `message`), none of them empty: content,
 * reasoning, refusals, tool names and arguments. The id of a tool call is the provider's, not the model's.
 */
export function piecesOf(delta: Fields): string[] {
  const { content, refusal, reasoning_content, reasoning, audio, tool_calls, function_call } = delta
  const called = [...listOf(tool_calls).map(calledIn), asObject(function_call)]
  const written = [content ?? asObject(audio)?.transcript, reasoning_content ?? reasoning, refusal]
  return [...written, ...called.flatMap((call) => [call?.name, call?.arguments ?? call?.input])]
    .map(textOf)
    .filter((text) => text !== '')
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function calledIn(value: unknown): Fields | null {
  const call = asObject(value)
  return asObject(call?.function) ?? asObject(call?.custom)
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
