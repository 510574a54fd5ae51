import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy'
import { ServiceError } from './service-error.ts'

/** A file of a form that was read into memory. */
export interface SmallFile {
  readonly filename: string
  readonly bytes: Buffer
}

export interface SmallForm {
  /** A field that occurs several times, or whose name ends in brackets, is a list. */
  readonly fields: ReadonlyMap<string, string | readonly string[]>
  /** The file that is named `file`; null without one. */
  readonly file: SmallFile | null
}

const maxFieldBytes = 65_536
const fieldName = /^[\w-]{1,64}(?:\[\])?$/

type Fail = (message: string, param: string, cause?: unknown) => void

/**
 * Reads a `multipart/form-data` body that is in memory, with at most one file, named `file`, and any other fields.
 *
 * @throws ServiceError `invalid_request` naming what is wrong
 */
export function readSmallForm(bytes: Buffer, contentType: string): Promise<SmallForm> {
  return new Promise((resolve, reject) => {
    const fail: Fail = (message, param, cause) =>
      reject(new ServiceError('invalid_request', message, { param, ...(cause === undefined ? {} : { cause }) }))
    const fields = new Map<string, string | string[]>()
    let reading: Promise<SmallFile> | null = null
    const parser = parserOf(contentType, fail)
    if (parser === null) return
    parser.on('field', (name, value, _nameCut, isCut) => {
      if (!fieldName.test(name) || name === 'file') return fail('A field of the form cannot have this name.', name)
      if (isCut) return fail('The field is too long.', name)
      addField(fields, name, value)
    })
    parser.on('file', (name, file, filename) => {
      if (name === 'file' && reading === null) reading = collect(file, filename)
      else {
        file.resume()
        fail('The form must have one file, which is named file.', 'file')
      }
    })
    parser.once('fieldsLimit', () => fail('The form has too many fields.', 'body'))
    parser.once('error', (cause: unknown) => fail('The form cannot be read.', 'body', cause))
    parser.once('finish', () => void Promise.resolve(reading).then((file) => resolve({ fields, file }), reject))
    parser.end(bytes)
  })
}

function parserOf(contentType: string, fail: Fail): BusboyInstance | null {
  try {
    const limits = { fieldNameSize: 100, fieldSize: maxFieldBytes, fields: 50, files: 2, headerPairs: 50 }
    return new Busboy({ headers: { 'content-type': contentType }, limits })
  } catch (cause) {
    fail('The form cannot be read.', 'Content-Type', cause)
    return null
  }
}

async function collect(file: BusboyFileStream, filename: string): Promise<SmallFile> {
  const chunks: Buffer[] = []
  for await (const chunk of file) chunks.push(chunk as Buffer)
  return { filename, bytes: Buffer.concat(chunks) }
}

function addField(fields: Map<string, string | string[]>, name: string, value: string): void {
  const before = fields.get(name)
  if (Array.isArray(before)) before.push(value)
  else if (before !== undefined) fields.set(name, [before, value])
  else fields.set(name, name.endsWith('[]') ? [value] : value)
}
