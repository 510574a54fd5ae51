import { asObject, type Fields } from '@ratchet/service-kit/values/json'
import { invalid, unsupported } from '../../wire/refusal.ts'
import { checkMembers } from '../check-members.ts'
import { cacheControlRules, fileRules, imageRules, partRules } from './chat-parameters.ts'

type PartType = 'text' | 'refusal' | 'image_url' | 'file'

/**
 * The content of a message as blocks. Empty and blank texts are left out, because Anthropic refuses them.
 *
 * @param allowed the types of parts that this message may have
 * @throws Refusal naming the part that cannot be converted
 */
export function convertContent(content: unknown, path: string, allowed: readonly PartType[]): Fields[] {
  if (content === null || content === undefined) return []
  if (typeof content === 'string') return textBlock(content)
  if (!Array.isArray(content)) throw invalid(path, 'must be a string or an array')
  return content.flatMap((part, index) => convertPart(part, `${path}.${index}`, allowed))
}

function convertPart(value: unknown, path: string, allowed: readonly PartType[]): Fields[] {
  const part = asObject(value)
  if (part === null) throw invalid(path, 'must be an object')
  const type = allowed.find((known) => known === part.type)
  const rules = partRules.get(type)
  if (rules === undefined) throw unsupported(`${path}.type`, `it takes ${allowed.join(' and ')} here`)
  checkMembers(part, path, rules)
  const cached = convertCacheControl(part.cache_control, `${path}.cache_control`)
  if (type === 'image_url') return [{ ...convertImage(part.image_url, `${path}.image_url`), ...cached }]
  if (type === 'file') return [{ ...convertFile(part.file, `${path}.file`), ...cached }]
  const text = type === 'refusal' ? part.refusal : part.text
  if (typeof text !== 'string') throw invalid(`${path}.${type}`, 'must be a string')
  return textBlock(text, cached)
}

function textBlock(text: string, cached: Fields = {}): Fields[] {
  return text.trim() === '' ? [] : [{ type: 'text', text, ...cached }]
}

/**
 * The cache point after a part.
 *
 * @throws Refusal for a cache whose price is not known
 */
export function convertCacheControl(value: unknown, path: string): Fields {
  if (value === null || value === undefined) return {}
  const control = asObject(value)
  if (control === null) throw invalid(path, 'must be an object')
  checkMembers(control, path, cacheControlRules)
  return { cache_control: control }
}

const mediaTypes: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp'])

function convertImage(value: unknown, path: string): Fields {
  const image = asObject(value)
  if (image === null) throw invalid(path, 'must be an object')
  checkMembers(image, path, imageRules)
  const { url } = image
  if (typeof url !== 'string') throw invalid(`${path}.url`, 'must be a string')
  if (url.startsWith('https://')) return { type: 'image', source: { type: 'url', url } }
  const { mediaType, data } = inlineData(url, `${path}.url`)
  const type = mediaType === 'image/jpg' ? 'image/jpeg' : mediaType
  if (!mediaTypes.has(type)) throw unsupported(`${path}.url`, 'images may be JPEG, PNG, GIF or WebP')
  return { type: 'image', source: { type: 'base64', media_type: type, data } }
}

/** A PDF or a plain text as a document. */
function convertFile(value: unknown, path: string): Fields {
  const file = asObject(value)
  if (file === null) throw invalid(path, 'must be an object')
  checkMembers(file, path, fileRules)
  const { file_data: url, filename } = file
  if (typeof url !== 'string') throw invalid(`${path}.file_data`, 'must be a string')
  const title = typeof filename === 'string' && filename !== '' ? { title: filename.slice(0, 255) } : {}
  return { type: 'document', source: documentSource(url, `${path}.file_data`), ...title }
}

function documentSource(url: string, path: string): Fields {
  if (url.startsWith('https://')) return { type: 'url', url }
  const { mediaType, data } = inlineData(url, path)
  switch (mediaType) {
    case 'application/pdf':
      return { type: 'base64', media_type: mediaType, data }
    case 'text/plain':
      return { type: 'text', media_type: mediaType, data: Buffer.from(data, 'base64').toString('utf8') }
    default:
      throw unsupported(path, 'files may be PDF or plain text')
  }
}

/** The parts of `data:image/png;base64,…`. The text may have megabytes, so only its head is parsed. */
function inlineData(url: string, path: string): { readonly mediaType: string; readonly data: string } {
  const comma = url.indexOf(',')
  const head = /^data:([a-z]+\/[a-z0-9.+-]+);base64$/i.exec(comma === -1 || comma > 100 ? '' : url.slice(0, comma))
  const mediaType = head?.[1]?.toLowerCase()
  if (mediaType === undefined) throw invalid(path, 'must be an https URL or a base64 data URL')
  return { mediaType, data: url.slice(comma + 1) }
}
