import { type FoldedAnswer, foldThought } from './fold-thought.ts'

/** The content of a message as text: texts of parts are joined, other parts become placeholders such as `[image]`. */
export function renderContent(content: unknown): string {
  if (content === null || content === undefined) return ''
  if (typeof content === 'string') return content
  if (Array.isArray(content)) return content.map(renderPart).filter(isFilled).join('\n')
  return jsonText(content)
}

/** The content of a model's answer as users see it, and the mark of the reasoning before it. */
export function renderAnswer(content: unknown): FoldedAnswer {
  return foldThought(renderContent(content))
}

/** JSON; a placeholder for values that are nested too deeply. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch (error) {
    if (error instanceof RangeError) return '[nested too deep to be shown]'
    throw error
  }
}

const placeholders: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  ['image_url', '[image]'],
  ['input_image', '[image]'],
  ['image', '[image]'],
  ['input_audio', '[audio]'],
  ['audio', '[audio]'],
  ['video_url', '[video]'],
  ['video', '[video]'],
  ['file', '[file]'],
  ['input_file', '[file]'],
  ['document', '[file]'],
  ['thinking', ''],
  ['redacted_thinking', ''],
  ['reasoning', ''],
])

function renderPart(part: unknown): string {
  if (typeof part === 'string') return part
  if (typeof part !== 'object' || part === null) return jsonText(part)
  const { type, text, refusal } = part as Readonly<Record<string, unknown>>
  const placeholder = placeholders.get(type)
  // A text beside media or reasoning is shown, because a client may show it too.
  if (placeholder !== undefined) return [placeholder, typeof text === 'string' ? text : ''].filter(isFilled).join('\n')
  const words = [text, refusal].filter((each) => typeof each === 'string')
  return words.length === 0 ? jsonText(part) : words.filter(isFilled).join('\n')
}

function isFilled(text: string): boolean {
  return text !== ''
}
