/** Beyond these a prompt is data that no program wrote as instructions. */
const MAX_DEPTH = 6
const MAX_TEXTS = 500

/**
 * A prompt that is one JSON value, as text: each key is a heading of what it holds. Other prompts are returned as they are.
 *
 * @param text with normalized lines
 */
export function unfoldJson(text: string): string {
  const isWhole = /^[{[]/.test(text) && /[}\]]$/.test(text)
  const value = isWhole ? parsed(text) : undefined
  if (typeof value !== 'object' || value === null) return text
  const texts: string[] = []
  collect(value, texts, 0)
  return texts.join('\n')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function collect(value: unknown, texts: string[], depth: number): void {
  if (depth > MAX_DEPTH || texts.length > MAX_TEXTS) return
  if (Array.isArray(value)) {
    for (const each of value) collect(each, texts, depth + 1)
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, each] of Object.entries(value)) {
      texts.push(`${key.replaceAll(/[_-]/g, ' ')}:`)
      collect(each, texts, depth + 1)
    }
  } else if (value !== null) texts.push(sentence(String(value)))
}

function sentence(text: string): string {
  const trimmed = text.trim()
  return /[.:!?。！？]$/.test(trimmed) ? trimmed : `${trimmed}.`
}
