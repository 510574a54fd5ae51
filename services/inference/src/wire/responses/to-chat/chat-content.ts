import { asList, asObject, asText, type Fields, isAbsent } from '@ratchet/service-kit/values/json'
import { drop, type Leniency } from '../../leniency.ts'
import { madeOf, type Place, within } from '../../origins.ts'
import { unsupportedFeature } from './unsupported-feature.ts'

/** Where content is in the request, and whether something of it may be left out. */
export interface ContentPlace extends Place {
  readonly leniency: Leniency | undefined
}

/**
 * The content of a user's, system's or developer's message. A single text becomes a string, which every model accepts.
 */
export function chatContent(content: unknown, place: ContentPlace): unknown {
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
export function toolAnswer({ output, call_id }: Fields, place: ContentPlace): ToolAnswer {
  if (!Array.isArray(output)) return { text: asText(output) ?? '', media: [] }
  const parts = output.map((part, index) => chatPart(asObject(part) ?? {}, within(place, index)))
  const media = parts.filter(({ type }) => type !== 'text')
  const label = { type: 'text', text: `From the output of the function call ${asText(call_id) ?? ''}:` }
  return {
    text: parts.flatMap(({ type, text }) => (type === 'text' ? [text] : [])).join('\n'),
    media: media.length === 0 ? [] : [madeOf(place, label), ...media],
  }
}

function chatPart(part: Fields, place: ContentPlace): Fields {
  return madeOf(place, translatedPart(part, place))
}

function translatedPart(part: Fields, place: ContentPlace): Fields {
  switch (part.type) {
    case 'input_image':
      return { type: 'image_url', image_url: { url: part.image_url, ...detailOf(part, place) } }
    case 'input_file':
      return filePart(part, place)
    case 'refusal':
      return { type: 'text', text: part.refusal }
    default:
      return { type: 'text', text: part.text }
  }
}

/** Models of other providers do not read images in their original size. */
function detailOf({ detail }: Fields, { path, leniency }: ContentPlace): object {
  if (isAbsent(detail)) return {}
  if (detail !== 'original') return { detail }
  if (leniency === undefined) throw unsupportedFeature(`${path}.detail`, 'Images in their original size')
  drop(leniency, 'image_url.detail:original')
  return {}
}

function filePart({ file_url, file_data, filename }: Fields, { path }: ContentPlace): Fields {
  const link = asText(file_url)
  if (link !== null && !link.startsWith('https://'))
    throw unsupportedFeature(`${path}.file_url`, 'Links other than https')
  return { type: 'file', file: { ...(isAbsent(filename) ? {} : { filename }), file_data: link ?? file_data } }
}
