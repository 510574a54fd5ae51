import { madeOf, type Place, within } from '../../origins.ts'
import { asList, asObject, asText, type Fields, isAbsent } from '../fields.ts'
import { unsupported } from './cannot-translate.ts'

/** The content of a user's, system's or developer's message. One text is told as a string, which every model knows. */
export function chatContent(content: unknown, place: Place): unknown {
  if (!Array.isArray(content)) return content
  const parts = content.map((part, index) => chatPart(asObject(part) ?? {}, within(place, index)))
  const [only] = parts
  return parts.length === 1 && only?.type === 'text' ? only.text : parts
}

/** What an assistant's message says, its parts put together. */
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

/** What a function answered. Chat completions know only text here. */
export function toolContent(output: unknown, place: Place): unknown {
  for (const [index, part] of asList(output).entries()) {
    const type = asObject(part)?.type
    if (type !== 'input_text')
      throw unsupported(`${place.path}.${index}.type`, 'Images and files in the output of functions')
  }
  return chatContent(output, place)
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
  if (detail === 'original') throw unsupported(`${path}.detail`, 'Images in their original size')
  return { detail }
}

function filePart({ file_url, file_data, filename }: Fields, path: string): Fields {
  if (!isAbsent(file_url)) throw unsupported(`${path}.file_url`, 'Links to files')
  return { type: 'file', file: { ...(isAbsent(filename) ? {} : { filename }), file_data } }
}
