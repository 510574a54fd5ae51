import type { Fields } from '../read-fields.ts'
import { WireError } from '../wire-error.ts'

/**
 * Refuses a member that Google's messages do not have, with Google's message.
 *
 * @throws WireError 400
 */
export function checkKnown(object: Fields, path: string, known: ReadonlySet<string>): void {
  const unknownField = Object.keys(object).find((name) => !known.has(name))
  if (unknownField === undefined) return
  const place = path === '' ? '' : ` at '${path}'`
  throw new WireError(400, `Invalid JSON payload received. Unknown name "${unknownField}"${place}: Cannot find field.`)
}
