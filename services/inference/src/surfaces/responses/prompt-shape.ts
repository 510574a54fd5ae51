import { asList, asObject, asText } from '@ratchet/service-kit/values/json'
import type { PromptShape } from '../../pricing/prompt-shape.ts'
import type { Body } from '../../wire/dialect.ts'

interface Tally {
  mediaParts: number
  mediaLength: number
  unbounded: boolean
}

/** The size of a checked body's prompt, in time proportional to the number of its content parts. */
export function responsesPromptShape({ input, instructions, tools }: Body): PromptShape {
  const tally: Tally = { mediaParts: 0, mediaLength: 0, unbounded: false }
  for (const value of asList(input)) {
    const item = asObject(value)
    // The content to which these items refer is not in the body.
    if (item?.type === 'item_reference' || item?.type === 'compaction') tally.unbounded = true
    for (const part of [...asList(item?.content), ...asList(item?.output)]) addPart(tally, part)
  }
  const inputItems = typeof input === 'string' ? 1 : asList(input).length
  return { items: inputItems + (typeof instructions === 'string' ? 1 : 0), tools: asList(tools).length, ...tally }
}

function addPart(tally: Tally, value: unknown): void {
  const part = asObject(value)
  if (part?.type === 'input_image') {
    const url = asText(part.image_url) ?? ''
    tally.mediaParts += 1
    tally.mediaLength += url.length
    if (!/^(?:data:image\/|https?:)/i.test(url)) tally.unbounded = true
  }
  if (part?.type === 'input_file') {
    tally.mediaParts += 1
    tally.mediaLength += (asText(part.file_data) ?? '').length
    tally.unbounded = true // pages are read as text and as images, and the text in them may be compressed
  }
}
