import { asObject, type Fields } from '@ratchet/service-kit/values/json'
import { invalid, unsupported } from '../../wire/refusal.ts'
import { checkMembers } from '../check-members.ts'
import { cachePointAfter, type Place } from './cache-point.ts'
import { fileRules, imageRules, partRules } from './chat-parameters.ts'
import type { ContentBlock, SystemBlock } from './converse-body.ts'

/**
 * The content of a message as content blocks. Blank text is left out, because Bedrock refuses it.
 *
 * @throws Refusal for a part that Converse does not support
 */
export function convertContent(content: unknown, { path, caches }: Place): ContentBlock[] {
  if (content === null || content === undefined) return []
  if (typeof content === 'string') return textBlocks(content)
  if (!Array.isArray(content)) throw invalid(path, 'must be a string or an array of parts')
  return content.flatMap((value, index) => {
    const place = { path: `${path}.${index}`, caches }
    const part = asObject(value)
    if (part === null) throw invalid(place.path, 'must be an object')
    const blocks = convertPart(part, place.path)
    return blocks.length === 0 ? [] : [...blocks, ...cachePointAfter(part, place)]
  })
}

/** The content of a system message, which may only have text. */
export function convertTexts(content: unknown, place: Place): SystemBlock[] {
  return convertContent(content, place).map((block) => {
    if ('text' in block || 'cachePoint' in block) return block
    throw unsupported(place.path, 'it must be text')
  })
}

function convertPart(part: Fields, path: string): ContentBlock[] {
  switch (part.type) {
    case 'text':
    case 'refusal': {
      checkMembers(part, path, partRules[part.type])
      return textBlocks(textAt(part[part.type], `${path}.${part.type}`))
    }
    case 'image_url':
      checkMembers(part, path, partRules.image_url)
      return [convertImage(part, `${path}.image_url`)]
    case 'file':
      checkMembers(part, path, partRules.file)
      return [convertDocument(part, `${path}.file`)]
    default:
      if (typeof part.type !== 'string') throw invalid(`${path}.type`, 'must be a string')
      throw unsupported(Object.hasOwn(part, part.type) ? `${path}.${part.type}` : `${path}.type`)
  }
}

function textBlocks(text: string): ContentBlock[] {
  return text.trim() === '' ? [] : [{ text }]
}

const imageFormats: ReadonlyMap<string, string> = new Map([
  ['image/png', 'png'],
  ['image/jpeg', 'jpeg'],
  ['image/jpg', 'jpeg'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
])

function convertImage(part: Fields, path: string): ContentBlock {
  const image = asObject(part.image_url)
  if (image === null) throw invalid(path, 'must be an object')
  checkMembers(image, path, imageRules)
  const data = readDataUrl(textAt(image.url, `${path}.url`))
  if (data === null) throw unsupported(path, 'it must be a data: URL in base64; this model does not fetch images')
  const format = imageFormats.get(data.type)
  if (format === undefined) throw unsupported(path, `it must be one of ${[...imageFormats.keys()].join(', ')}`)
  return { image: { format, source: { bytes: data.base64 } } }
}

const documentFormats: ReadonlyMap<string, string> = new Map([
  ['application/pdf', 'pdf'],
  ['text/csv', 'csv'],
  ['application/msword', 'doc'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
  ['application/vnd.ms-excel', 'xls'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'],
  ['text/html', 'html'],
  ['text/plain', 'txt'],
  ['text/markdown', 'md'],
])

function convertDocument(part: Fields, path: string): ContentBlock {
  const file = asObject(part.file)
  if (file === null) throw invalid(path, 'must be an object')
  checkMembers(file, path, fileRules)
  const data = readDataUrl(textAt(file.file_data, `${path}.file_data`))
  const format = data === null ? undefined : documentFormats.get(data.type)
  if (data === null || format === undefined) {
    throw unsupported(`${path}.file_data`, 'it must be a data: URL in base64 of a document that this model reads')
  }
  return { document: { format, name: documentName(file.filename, path), source: { bytes: data.base64 } } }
}

/** Bedrock allows few characters in a document name, and no name twice, so the name includes the path of the part. */
function documentName(filename: unknown, path: string): string {
  const stem = typeof filename === 'string' ? filename.slice(0, 100).replace(/\.[^.]*$/, '') : ''
  const allowed = stem.replace(/[^A-Za-z0-9()[\]-]+/g, ' ').trim()
  return `${allowed === '' ? 'document' : allowed} ${path.replace(/[^0-9]+/g, ' ').trim()}`
}

function readDataUrl(url: string): { readonly type: string; readonly base64: string } | null {
  const comma = url.indexOf(',')
  const [, type] = /^data:([^;,]+)(?:;[^;,]+)*;base64$/i.exec(url.slice(0, Math.min(comma, 200))) ?? []
  return comma === -1 || type === undefined ? null : { type: type.toLowerCase(), base64: url.slice(comma + 1) }
}

function textAt(value: unknown, path: string): string {
  if (typeof value !== 'string') throw invalid(path, 'must be a string')
  return value
}
