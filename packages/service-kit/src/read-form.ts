import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy'
import type { Request } from 'express'
import { ServiceError } from './service-error.ts'

export interface FormFile {
  readonly filename: string
  readonly content: AsyncIterable<Uint8Array>
  /** The fields that came ahead of it. @throws ServiceError 400 for what is wrong with them */
  readonly fieldsAhead: () => FormFields
}

export type FormFields = Readonly<Record<string, string | undefined>>

export interface FormOptions<T> {
  /** Names of the fields that there may be beside `file`. */
  readonly fields: readonly string[]
  readonly maxFileBytes: number
  /** Reads the file as it arrives. The fields are known when the form has ended, which is after the file has. */
  readonly onFile: (file: FormFile, fields: Promise<FormFields>) => Promise<T>
}

const maxFieldBytes = 16_384
const maxFilenameLength = 255

export function isForm({ headers }: Request): boolean {
  return /^multipart\/form-data\s*(;|$)/i.test(headers['content-type'] ?? '')
}

/**
 * Reads a `multipart/form-data` body with one file in it, named `file`, holding no more of it than a few chunks. The
 * body is read to its end whatever is wrong with it, so that the client gets to see the answer.
 *
 * @throws ServiceError 400 or 413 for what is no such form; whatever `onFile` rejects with
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

/** Collects the fields; what is wrong with them is thrown when they are asked for. */
function collectFields(parser: BusboyInstance, names: readonly string[]): () => FormFields {
  const fields = new Map<string, string>()
  let problem: ServiceError | null = null
  parser.on('field', (name, value, _nameCut, isCut) => {
    if (!isNamed(name)) problem ??= namelessPart()
    else if (name === 'file') problem ??= refusal('The file has to be sent with a file name.', name)
    else if (!names.includes(name)) problem ??= unknownField(name)
    else if (isCut || fields.has(name)) problem ??= refusal('The field is too long, or there twice.', name)
    else fields.set(name, value)
  })
  parser.on('filesLimit', () => {
    problem ??= refusal('There may be one file.', 'file')
  })
  parser.on('fieldsLimit', () => {
    problem ??= refusal('There are too many fields.')
  })
  return () => {
    if (problem !== null) throw problem
    return Object.fromEntries(fields)
  }
}

interface TakenFile<T> {
  /** Null where the form had none. */
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
    // Whoever reads it hears what is wrong with it; that nobody may read it is no reason to end the process.
    file.on('error', () => undefined)
    const ahead = settled(readFields)
    const taken =
      name === 'file'
        ? onFile({ filename: cleanName(filename), content: contentOf(file, maxFileBytes), fieldsAhead: ahead }, fields)
        : Promise.reject(wrongFile(name))
    // Whoever stops reading lets the rest of the form go by.
    result = taken.finally(() => file.resume())
    result.catch(() => undefined)
  })
  return { result: () => result, cut: (error) => stream?.destroy(error) }
}

/** What a function gives or throws now, whenever it is asked for. */
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

/** Busboy's types promise a name; a part may come without one. */
function isNamed(name: string | undefined): boolean {
  return name !== undefined && name !== ''
}

function wrongFile(name: string | undefined): ServiceError {
  return isNamed(name) ? unknownField(String(name)) : namelessPart()
}

function namelessPart(): ServiceError {
  return refusal('Every part of the form needs a name in its Content-Disposition header.', 'Content-Disposition')
}

function unknownField(name: string): ServiceError {
  return new ServiceError('unknown_parameter', `Unknown parameter: ${name}.`, { param: name })
}

function refusal(message: string, param?: string): ServiceError {
  return new ServiceError('invalid_request', message, param === undefined ? {} : { param })
}
