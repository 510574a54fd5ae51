/**
 * Removes the reasoning from what a judge or assistant itself answered, before that is read. An answer that is judged goes
 * through `foldThought` instead, because users see some of what is removed here.
 *
 * Removes everything between `<think>` and the next `</think>`. An unclosed block reaches to the end. A closing tag outside of a block ends one that began before the text, as with models whose prompt opens it, or the
 * outer one of two; otherwise it is ordinary text. Takes linear time.
 */
export function stripReasoning(text: string): string {
  const tags = [...text.matchAll(/<\/?think>/gi)]
  if (tags.length === 0) return text
  const kept: string[] = []
  let from = 0
  let isInside = false
  // A text that begins within a block has one more close than opens.
  let unclosed = tags[0]?.[0][1] === '/' ? 1 : 0
  for (const { 0: tag, index } of tags) {
    if (tag[1] !== '/') {
      if (!isInside) kept.push(text.slice(from, index))
      isInside = true
      unclosed += 1
    } else if (unclosed > 0) {
      from = index + tag.length
      isInside = false
      unclosed -= 1
    }
  }
  if (!isInside) kept.push(text.slice(from))
  return kept.join('').trim()
}
