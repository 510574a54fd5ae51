import { asObject, type Fields } from '@ratchet/service-kit/values/json'
import { invalid, unsupported } from '../../wire/refusal.ts'
import { checkMembers } from '../check-members.ts'
import { audioRules, fileRules, imageRules, partRules } from './chat-parameters.ts'

/** A part of one of Google's contents. */
export type Part = Readonly<Record<string, unknown>>

/**
 * The parts of a message's `content`. Only `types` are accepted.
 *
 * @throws Refusal for any other part
 */
export function convertContent(content: unknown, path: string, types: readonly string[]): Part[] {
  if (typeof content === 'string') return [{ text: content }]
  if (!Array.isArray(content)) throw invalid(path, 'must be a string or an array of parts')
  return content.map((part, index) => convertPart(part, `${path}.${index}`, types))
}

function convertPart(value: unknown, path: string, types: readonly string[]): Part {
  const part = objectAt(value, path)
  const type = textAt(part.type, `${path}.type`)
  const known = types.includes(type) ? partRules.get(type) : undefined
  if (known === undefined) throw unsupported(`${path}.type`, 'parts of this type cannot be sent to Google here')
  checkMembers(part, path, known)
  switch (type) {
    case 'image_url':
      return convertImage(part.image_url, `${path}.image_url`)
    case 'input_audio':
      return convertAudio(objectAt(part.input_audio, `${path}.input_audio`), `${path}.input_audio`)
    case 'file':
      return convertFile(objectAt(part.file, `${path}.file`), `${path}.file`)
    default:
      return { text: textAt(part[type], `${path}.${type}`) } // text and refusal
  }
}

function convertImage(value: unknown, path: string): Part {
  if (typeof value === 'string') return inlineData(value, path) ?? fileData(value, path)
  const image = objectAt(value, path)
  checkMembers(image, path, imageRules)
  const url = textAt(image.url, `${path}.url`)
  return inlineData(url, `${path}.url`) ?? fileData(url, `${path}.url`)
}

function convertFile(file: Fields, path: string): Part {
  checkMembers(file, path, fileRules)
  const url = textAt(file.file_data, `${path}.file_data`)
  return inlineData(url, `${path}.file_data`) ?? fileData(url, `${path}.file_data`, 'application/pdf')
}

const audioFormats = ['wav', 'mp3', 'aiff', 'aac', 'ogg', 'flac']

function convertAudio(audio: Fields, path: string): Part {
  checkMembers(audio, path, audioRules)
  const format = textAt(audio.format, `${path}.format`)
  if (!audioFormats.includes(format)) throw unsupported(`${path}.format`, `Google takes ${audioFormats.join(', ')}`)
  return { inlineData: { mimeType: `audio/${format}`, data: textAt(audio.data, `${path}.data`) } }
}

/** Null when the URL does not contain its data. */
function inlineData(url: string, path: string): Part | null {
  if (!/^data:/i.test(url)) return null
  const comma = url.indexOf(',')
  const header = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w.+-]+=[^;,]*)*;base64$/i.exec(url.slice(0, Math.max(0, comma)))
  if (header === null) throw invalid(path, 'must be an https URL or a data: URL with base64 data')
  return { inlineData: { mimeType: header[1]?.toLowerCase(), data: url.slice(comma + 1) } }
}

const imageTypes: ReadonlyMap<string, string> = new Map([
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['webp', 'image/webp'],
  ['heic', 'image/heic'],
  ['heif', 'image/heif'],
  ['gif', 'image/gif'],
  ['bmp', 'image/bmp'],
])

/** The file store of Google, whose files belong to the owner of the key and not to the client, and Google's videos. */
const notPublic = /(?:^|\.)(?:generativelanguage\.googleapis\.com|youtube\.com|youtu\.be)\.?$/

/** Google fetches public URLs itself. A media type is always given, so that only an image or a document is made of them. */
function fileData(url: string, path: string, type?: string): Part {
  const parsed = URL.parse(url)
  if (parsed?.protocol !== 'https:') throw unsupported(path, 'Google fetches https URLs only')
  if (notPublic.test(parsed.hostname)) throw unsupported(path, 'it must be a public URL')
  const ending = /\.(\w+)$/.exec(parsed.pathname)?.[1]?.toLowerCase() ?? ''
  return { fileData: { mimeType: type ?? imageTypes.get(ending) ?? 'image/jpeg', fileUri: url } }
}

/** @throws Refusal when the value is not an object */
export function objectAt(value: unknown, path: string): Fields {
  const object = asObject(value)
  if (object === null) throw invalid(path, 'must be an object')
  return object
}

/** @throws Refusal when the value is not a string */
export function textAt(value: unknown, path: string): string {
  if (typeof value !== 'string') throw invalid(path, 'must be a string')
  return value
}
