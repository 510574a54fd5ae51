import { asList, asObject, asText, type Fields, isAbsent } from '@ratchet/service-kit/values/json'
import { madeOf, type Place, within } from '../../origins.ts'
import { unsupportedFeature } from './unsupported-feature.ts'

/**
 * The content of a user's, system's or developer's message. A single text becomes a string, which every model accepts.
 */
export function chatContent(content: unknown, place: Place): unknown {
  if (!Array.isArray(content)) return content
  const parts = content.map((part, index) => chatPart(asObject(part) ?? {}, within(place, index)))
  const [only] = parts
  return parts.length === 1 && only?.type === 'text' ? only.text : parts
}

/** The text of an assistant's message, with its parts joined. */
export function saidText(content: unknown): { readonly text: string | null; readonly refusal: string | null } {
  if (typeof content === 'string') return { text: content, refusal: null }
  const parts = asList(content).map((part) => asObject(part) ?? {})
  const refusals = parts.map(({ refusal }) => asText(refusal)).filter((refusal) => refusal !== null)
  const texts = parts.map(({ text }) => asText(text)).filter((text) => text !== null)
  return {
    text: texts.length === 0 && refusals.length > 0 ? null : texts.join(''),
    refusal: refusals.length === 0 ? null : refusals.join(''),
  }
}

/** The output of a function, in the form of a chat completion. */
export interface ToolAnswer {
  readonly text: string
  /** Its images and files, after a line that names their origin; empty when it has none. */
  readonly media: readonly Fields[]
}

/** A tool message can only have text, so images and files go into a message of their own. */
export function toolAnswer({ output, call_id }: Fields, place: Place): ToolAnswer {
  if (!Array.isArray(output)) return { text: asText(output) ?? '', media: [] }
  const parts = output.map((part, index) => chatPart(asObject(part) ?? {}, within(place, index)))
  const media = parts.filter(({ type }) => type !== 'text')
  const label = { type: 'text', text: `From the output of the function call ${asText(call_id) ?? ''}:` }
  return {
    text: parts.flatMap(({ type, text }) => (type === 'text' ? [text] : [])).join('\n'),
    media: media.length === 0 ? [] : [madeOf(place, label), ...media],
  }
}

function chatPart(part: Fields, place: Place): Fields {
  return madeOf(place, translatedPart(part, place.path))
}

function translatedPart(part: Fields, path: string): Fields {
  switch (part.type) {
    case 'input_image':
      return { type: 'image_url', image_url: { url: part.image_url, ...detailOf(part, path) } }
    case 'input_file':
      return filePart(part, path)
    case 'refusal':
      return { type: 'text', text: part.refusal }
    default:
      return { type: 'text', text: part.text }
  }
}

function detailOf({ detail }: Fields, path: string): object {
  if (isAbsent(detail)) return {}
  if (detail === 'original') throw unsupportedFeature(`${path}.detail`, 'Images in their original size')
  return { detail }
}

function filePart({ file_url, file_data, filename }: Fields, path: string): Fields {
  const link = asText(file_url)
  if (link !== null && !link.startsWith('https://'))
    throw unsupportedFeature(`${path}.file_url`, 'Links other than https')
  return { type: 'file', file: { ...(isAbsent(filename) ? {} : { filename }), file_data: link ?? file_data } }
}
