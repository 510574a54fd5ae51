import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy'
import type { Request } from 'express'
import { ServiceError } from './service-error.ts'

export interface FormFile {
  readonly filename: string
  readonly content: AsyncIterable<Uint8Array>
  /** The fields before the file. @throws ServiceError 400 for wrong fields */
  readonly fieldsAhead: () => FormFields
}

export type FormFields = Readonly<Record<string, string | undefined>>

export interface FormOptions<T> {
  /** Names of allowed fields besides `file`. */
  readonly fields: readonly string[]
  readonly maxFileBytes: number
  /** Reads the file as it arrives. All fields are known when the form has ended, after the file. */
  readonly onFile: (file: FormFile, fields: Promise<FormFields>) => Promise<T>
}

const maxFieldBytes = 16_384
const maxFilenameLength = 255

export function isForm({ headers }: Request): boolean {
  return /^multipart\/form-data\s*(;|$)/i.test(headers['content-type'] ?? '')
}

/**
 * Reads a `multipart/form-data` body with one file, named `file`, with a few chunks in memory at a time. It reads a wrong
 * body to its end too, so that the client receives the answer.
 *
 * @throws ServiceError 400 or 413 for another or a too large form; errors of `onFile`
 */
export async function readForm<T>(request: Request, options: FormOptions<T>): Promise<T> {
  const parser = createParser(request, options)
  const fields = Promise.withResolvers<FormFields>()
  fields.promise.catch(() => undefined)
  const readFields = collectFields(parser, options.fields)
  const file = takeFile(parser, { ...options, readFields, fields: fields.promise })
  try {
    await passThrough(request, parser)
    fields.resolve(readFields())
  } catch (error) {
    fields.reject(error)
    file.cut(error as Error)
    await file.result()?.catch(() => undefined)
    throw error
  }
  const result = file.result()
  if (result === null) throw refusal('The form has no file.', 'file')
  return result
}

function createParser(
  { headers }: Request,
  { maxFileBytes }: Pick<FormOptions<unknown>, 'maxFileBytes'>,
): BusboyInstance {
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': headers['content-type'] ?? '' },
      limits: {
        fieldNameSize: 100,
        fieldSize: maxFieldBytes,
        fields: 20,
        files: 1,
        fileSize: maxFileBytes,
        headerPairs: 50,
      },
    })
  } catch (cause) {
    throw new ServiceError('invalid_request', 'The form cannot be read.', { param: 'Content-Type', cause })
  }
}

/** Collects the fields. Their errors are thrown when they are read. */
function collectFields(parser: BusboyInstance, names: readonly string[]): () => FormFields {
  const fields = new Map<string, string>()
  let problem: ServiceError | null = null
  parser.on('field', (name, value, _nameCut, isCut) => {
    if (!isNamed(name)) problem ??= namelessPart()
    else if (name === 'file') problem ??= refusal('The file must have a file name.', name)
    else if (!names.includes(name)) problem ??= unknownField(name)
    else if (isCut || fields.has(name)) problem ??= refusal('The field is too long or occurs twice.', name)
    else fields.set(name, value)
  })
  parser.on('filesLimit', () => {
    problem ??= refusal('The form must have only one file.', 'file')
  })
  parser.on('fieldsLimit', () => {
    problem ??= refusal('The form has too many fields.')
  })
  return () => {
    if (problem !== null) throw problem
    return Object.fromEntries(fields)
  }
}

interface TakenFile<T> {
  /** Null for a form without a file. */
  result(): Promise<T> | null
  cut(error: Error): void
}

interface TakeOptions<T> extends Pick<FormOptions<T>, 'onFile' | 'maxFileBytes'> {
  readonly readFields: () => FormFields
  readonly fields: Promise<FormFields>
}

function takeFile<T>(parser: BusboyInstance, options: TakeOptions<T>): TakenFile<T> {
  const { onFile, maxFileBytes, readFields, fields } = options
  let result: Promise<T> | null = null
  let stream: BusboyFileStream | null = null
  parser.on('file', (name, file, filename) => {
    stream = file
    // Its reader gets the error. Without a reader, the event would end the process.
    file.on('error', () => undefined)
    const ahead = settled(readFields)
    const taken =
      name === 'file'
        ? onFile({ filename: cleanName(filename), content: contentOf(file, maxFileBytes), fieldsAhead: ahead }, fields)
        : Promise.reject(wrongFile(name))
    // When the reader stops, the rest of the form is discarded.
    result = taken.finally(() => file.resume())
    result.catch(() => undefined)
  })
  return { result: () => result, cut: (error) => stream?.destroy(error) }
}

/** Calls a function now, and returns its result or throws its error later. */
function settled<T>(read: () => T): () => T {
  try {
    const value = read()
    return () => value
  } catch (error) {
    return () => {
      throw error
    }
  }
}

async function* contentOf(file: BusboyFileStream, maxBytes: number): AsyncGenerator<Uint8Array> {
  for await (const chunk of file.iterator({ destroyOnReturn: false })) yield chunk
  if (file.truncated) {
    throw new ServiceError('request_too_large', `The file is larger than ${maxBytes} bytes.`, { param: 'file' })
  }
}

function passThrough(request: Request, parser: BusboyInstance): Promise<void> {
  return new Promise((resolve, reject) => {
    const brokenOff = () => {
      if (!request.complete) reject(refusal('The body ended before it was complete.'))
    }
    parser.once('finish', resolve)
    parser.once('error', (cause: unknown) => {
      request.unpipe(parser)
      request.resume()
      reject(new ServiceError('invalid_request', 'The form cannot be read.', { cause }))
    })
    request.once('close', brokenOff)
    request.once('error', brokenOff)
    request.pipe(parser)
  })
}

function cleanName(filename: string | undefined): string {
  const name = (filename ?? '').replace(/\p{C}/gu, '').trim().slice(0, maxFilenameLength)
  return name === '' ? 'file' : name
}

/** In Busboy's types a part always has a name, but it may have none. */
function isNamed(name: string | undefined): boolean {
  return name !== undefined && name !== ''
}

function wrongFile(name: string | undefined): ServiceError {
  return isNamed(name) ? unknownField(String(name)) : namelessPart()
}

function namelessPart(): ServiceError {
  return refusal('Every part of the form must have a name in its Content-Disposition header.', 'Content-Disposition')
}

function unknownField(name: string): ServiceError {
  return new ServiceError('unknown_parameter', `Unknown parameter: ${name}.`, { param: name })
}

function refusal(message: string, param?: string): ServiceError {
  return new ServiceError('invalid_request', message, param === undefined ? {} : { param })
}
