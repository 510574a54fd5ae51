import { isFields } from './read-fields.ts'

/** Deltas of OpenAI's streams are padded to a multiple of this many characters. */
const step = 16
const letters = 'aZ3kQ9xT7bLm5Rw1'

/** True unless `stream_options.include_obfuscation` is false. */
export function isObfuscated({ stream_options: options }: Readonly<Record<string, unknown>>): boolean {
  return !isFields(options) || options.include_obfuscation !== false
}

/** Characters that hide the length of a delta. The same for the same delta, so that replies can be compared. */
export function obfuscationOf(delta: string): string {
  return letters.slice(delta.length % step)
}
