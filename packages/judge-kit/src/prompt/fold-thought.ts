/** A model's answer as a judge gets it. */
export interface FoldedAnswer {
  /** Stands for the reasoning at the start of the answer; empty for none. */
  readonly mark: string
  /** Everything else. */
  readonly text: string
}

/**
 * Takes reasoning out of an answer that is judged: one `<think>` block at the very start that is closed, with the blocks
 * inside it. Any other tag remains, because users see such text, and an answer could hide behind a tag what it says to
 * them. Takes linear time.
 */
export function foldThought(answer: string): FoldedAnswer {
  const end = /^\s*<think>/i.test(answer) ? endOfBlock(answer) : null
  if (end === null) return { mark: '', text: answer }
  return { mark: markOfThought(end - answer.search(/\S/)), text: answer.slice(end).trim() }
}

/** What stands in place of reasoning. */
export function markOfThought(characters: number): string {
  return `[thought: ${characters} characters]`
}

/** Index after the tag that closes the first block, or null. */
function endOfBlock(answer: string): number | null {
  let depth = 0
  for (const { 0: tag, index } of answer.matchAll(/<\/?think>/gi)) {
    depth += tag[1] === '/' ? -1 : 1
    if (depth === 0) return index + tag.length
  }
  return null
}
