import { asObject, type Fields, isAbsent } from '@ratchet/service-kit/values/json'
import { drop, type Leniency } from '../leniency.ts'
import { invalid, unsupported } from '../refusal.ts'

/** A part of a chat message's content, with the cache hint of everything up to it. */
export type Part = { readonly cache_control?: unknown } & PlainPart

type PlainPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } }
  | { readonly type: 'file'; readonly file: { readonly filename: string; readonly file_data: string } }

/** Where a block is in the request. */
interface BlockPlace {
  readonly path: string
  readonly leniency?: Leniency | undefined
}

/** Translates a block of a user's message or of a tool result into parts of a chat message. */
export function chatPart(block: Fields, place: BlockPlace): Part[] {
  const { path } = place
  switch (block.type) {
    case 'text':
      return [textPart(block, path)]
    case 'image':
      if (!isAbsent(block.transformations)) leaveOut('transformations', place)
      return [imagePart(asObject(block.source) ?? {}, `${path}.source`)]
    case 'document':
      return documentParts(block, place)
    case 'search_result':
      leaveOutCitations(block, place)
      return [
        { type: 'text', text: [...titlesOf(block), textOfBlocks(block.content, `${path}.content`, '\n')].join('\n') },
      ]
    case 'browser_state': {
      const { type, cache_control, ...state } = block
      return [{ type: 'text', text: JSON.stringify(state) }]
    }
    case 'container_upload': // a file for code that Anthropic runs, which is left out too
      leaveOut('container_upload', { ...place, path: `${path}.type` })
      return []
    default:
      throw unsupported(`${path}.type`)
  }
}

/** @throws Refusal without leniency */
function leaveOut(member: string, { path, leniency }: BlockPlace): void {
  if (leniency === undefined) throw unsupported(path.endsWith('.type') ? path : `${path}.${member}`)
  drop(leniency, `content.${member}`)
}

/** Citations of an earlier answer are left out, because a chat message has no member for them. */
export function textPart({ text }: Fields, path: string): Part & { type: 'text' } {
  if (typeof text !== 'string') throw invalid(`${path}.text`, 'must be a string')
  return { type: 'text', text }
}

/** The text of a string or of a list of text blocks. Any other block is refused. */
export function textOfBlocks(content: unknown, path: string, separator: string): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) throw invalid(path, 'must be a string or an array of text blocks')
  const texts = content.map((block, index) => {
    const fields = asObject(block) ?? {}
    if (fields.type !== 'text') throw unsupported(`${path}.${index}.type`)
    return textPart(fields, `${path}.${index}`).text
  })
  return texts.join(separator)
}

function imagePart({ type, media_type: mediaType, data, url }: Fields, path: string): Part {
  if (type === 'base64') return { type: 'image_url', image_url: { url: dataUrl(mediaType, data, path) } }
  if (type !== 'url') throw unsupported(`${path}.type`)
  if (typeof url !== 'string') throw invalid(`${path}.url`, 'must be a string')
  return { type: 'image_url', image_url: { url } }
}

function documentParts(block: Fields, place: BlockPlace): Part[] {
  const { path } = place
  leaveOutCitations(block, place)
  const source = asObject(block.source) ?? {}
  const titles = titlesOf(block)
  switch (source.type) {
    case 'text':
      if (typeof source.data !== 'string') throw invalid(`${path}.source.data`, 'must be a string')
      return [{ type: 'text', text: [...titles, source.data].join('\n') }]
    case 'content':
      return [
        ...titles.map((text): Part => ({ type: 'text', text })),
        ...contentParts(source.content, { ...place, path: `${path}.source` }),
      ]
    case 'base64':
    case 'url': {
      const filename = typeof block.title === 'string' ? block.title : 'document.pdf'
      const context = titlesOf({ context: block.context }).map((text): Part => ({ type: 'text', text }))
      const data =
        source.type === 'url'
          ? linkAt(source.url, `${path}.source.url`)
          : dataUrl(source.media_type, source.data, `${path}.source`)
      return [...context, { type: 'file', file: { filename, file_data: data } }]
    }
    default:
      throw unsupported(`${path}.source.type`)
  }
}

/** Adapters of providers that do not fetch documents refuse the link. */
function linkAt(url: unknown, path: string): string {
  if (typeof url !== 'string') throw invalid(path, 'must be a string')
  if (!url.startsWith('https://')) throw unsupported(path, 'it must be an https URL')
  return url
}

function contentParts(content: unknown, place: BlockPlace): Part[] {
  const { path } = place
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content)) throw invalid(`${path}.content`, 'must be a string or an array of blocks')
  return content.flatMap((block, index) =>
    chatPart(asObject(block) ?? {}, { ...place, path: `${path}.content.${index}` }),
  )
}

/** The titles and the context of a document or search result. */
function titlesOf({ title, source, context }: Fields): string[] {
  return [title, source, context].filter((text) => typeof text === 'string' && text !== '') as string[]
}

/** The answer is the same without them, only not with its sources beside it. */
function leaveOutCitations({ citations }: Fields, place: BlockPlace): void {
  if (asObject(citations)?.enabled === true) leaveOut('citations', place)
}

function dataUrl(mediaType: unknown, data: unknown, path: string): string {
  if (typeof mediaType !== 'string' || !/^[a-z]+\/[a-z0-9.+-]+$/i.test(mediaType)) {
    throw invalid(`${path}.media_type`, 'must be a media type')
  }
  if (typeof data !== 'string') throw invalid(`${path}.data`, 'must be a string')
  return `data:${mediaType};base64,${data}`
}
