import { isObject } from '@ratchet/service-kit/values/json'
import type { PromptShape } from '../../pricing/prompt-shape.ts'

export interface ChatPrompt {
  readonly messages: readonly unknown[]
  readonly tools: readonly unknown[]
}

interface Tally {
  mediaParts: number
  mediaLength: number
  soundParts: number
  soundLength: number
  unbounded: boolean
}

/** The size of a chat prompt, in time proportional to the number of its content parts. */
export function chatPromptShape({ messages, tools }: ChatPrompt): PromptShape {
  const tally: Tally = { mediaParts: 0, mediaLength: 0, soundParts: 0, soundLength: 0, unbounded: false }
  for (const message of messages) {
    if (!isObject(message)) continue
    if (message.audio !== undefined && message.audio !== null) tally.unbounded = true // the audio of an earlier answer is named by an id, so its length is unknown
    for (const part of Array.isArray(message.content) ? message.content : []) addPart(tally, part)
  }
  return { items: messages.length, tools: tools.length, ...tally }
}

function addPart(tally: Tally, part: unknown): void {
  if (typeof part === 'string') return
  if (!isObject(part)) {
    tally.unbounded = true
    return
  }
  switch (part.type) {
    case 'text':
    case 'refusal':
      return
    case 'input_audio':
      tally.soundParts += 1
      tally.soundLength += lengthOf(memberOf(part.input_audio, 'data'))
      return
    case 'image_url':
      addImage(tally, memberOf(part.image_url, 'url'))
      return
    default:
      tally.mediaParts += 1
      tally.mediaLength += lengthOf(memberOf(part.file, 'file_data'))
      tally.unbounded = true
  }
}

function addImage(tally: Tally, url: unknown): void {
  tally.mediaParts += 1
  tally.mediaLength += lengthOf(url)
  if (typeof url !== 'string' || !/^(?:data:image\/|https?:)/i.test(url)) tally.unbounded = true
}

function memberOf(container: unknown, key: string): unknown {
  return isObject(container) ? container[key] : container
}

function lengthOf(value: unknown): number {
  return typeof value === 'string' ? value.length : 0
}
