import type { Fields } from './read-fields.ts'
import { WireError } from './wire-error.ts'

/** A file of a form. */
export interface FormFile {
  readonly name: string
  readonly bytes: Buffer
}

const endOfHead = '\r\n\r\n'

/**
 * The parts of a `multipart/form-data` body by their names: texts, and files as {@link FormFile}.
 *
 * @throws WireError 400 for a body without its boundary
 */
export function readForm(raw: Buffer, contentType: string): Fields {
  const boundary = /boundary="?([^";]+)"?/.exec(contentType)?.[1]
  if (boundary === undefined) throw new WireError(400, 'Could not parse multipart form.')
  const fields: Fields = {}
  const mark = `--${boundary}`
  for (let start = raw.indexOf(mark); start !== -1; ) {
    const end = raw.indexOf(`\r\n${mark}`, start + mark.length)
    if (end === -1) break
    addPart(fields, raw.subarray(start + mark.length + 2, end))
    start = end + 2
  }
  return fields
}

function addPart(fields: Fields, part: Buffer): void {
  const split = part.indexOf(endOfHead)
  const head = part.toString('utf8', 0, split)
  const bytes = part.subarray(split + endOfHead.length)
  const name = /[ ;]name="([^"]*)"/.exec(head)?.[1]
  if (split === -1 || name === undefined) return
  const file = /filename="([^"]*)"/.exec(head)?.[1]
  fields[name] = file === undefined ? bytes.toString() : ({ name: file, bytes } satisfies FormFile)
}
