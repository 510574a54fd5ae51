import { asList, asObject, asText } from '@ratchet/service-kit/values/json'
import type { PromptShape } from '../../pricing/prompt-shape.ts'
import type { Body } from '../../wire/dialect.ts'

interface Tally {
  mediaParts: number
  mediaLength: number
  unbounded: boolean
}

/** The size of a checked body's prompt, in time proportional to the number of its content parts. */
export function responsesPromptShape({ input, instructions, tools, reasoning }: Body): PromptShape {
  const tally: Tally = { mediaParts: 0, mediaLength: 0, unbounded: readsRepeatedly(reasoning) }
  for (const value of asList(input)) {
    const item = asObject(value)
    if (!wholeItems.has(item?.type ?? 'message')) tally.unbounded = true
    for (const part of [...asList(item?.content), ...asList(item?.output)]) addPart(tally, part)
  }
  const inputItems = typeof input === 'string' ? 1 : asList(input).length
  const toolCount = asList(tools).reduce<number>((sum, tool) => sum + weightOf(tool), 0)
  return { items: inputItems + (typeof instructions === 'string' ? 1 : 0), tools: toolCount, ...tally }
}

/** In any other mode than the usual one, a model may read the prompt several times, and each time is billed. */
function readsRepeatedly(reasoning: unknown): boolean {
  return (asObject(reasoning)?.mode ?? 'standard') !== 'standard'
}

/** Items whose whole content is in the body. Others refer to some, or are not known. */
const wholeItems: ReadonlySet<unknown> = new Set([
  'message',
  'reasoning',
  'web_search_call',
  ...['function', 'custom_tool', 'local_shell', 'shell', 'apply_patch'].flatMap((of) => [
    `${of}_call`,
    `${of}_call_output`,
  ]),
])

/** The tools of OpenAI add instructions that are not in the body. They count as this many tools of a client. */
const ownToolWeight = 32

function weightOf(value: unknown): number {
  const tool = asObject(value)
  if (tool?.type === 'function' || tool?.type === 'custom') return 1
  return ownToolWeight + asList(tool?.tools).length
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
