/** Names of delimiters in all prompts. */
const names = [
  'conversation',
  'candidate',
  'reference',
  'tools',
  'end',
  'first',
  'second',
  'system',
  'developer',
  'user',
  'assistant',
  'tool',
  'function',
  'message',
].join('|')

const invisible = '\\p{Cf}{0,4}'
const gap = '[\\s\\p{Cf}]'
const open = '[<＜﹤]'
const close = '[>＞﹥]'

const delimiter = new RegExp(
  `${open}(${invisible}${open}${gap}{0,8}(?:${names})${gap}{1,8}[^\\s<>]{1,80}${gap}{0,8}${close})(${invisible}${close})`,
  'giu',
)

/** The beginning of a rendered tool call or result. */
const toolMark = /(?<!\\)\[(?=\s{0,4}tool[\s_-]{0,4}(?:call|result)\s{0,4}\])/gi

/**
 * Makes a text safe as data in a prompt: breaks up everything that looks like a delimiter with any nonce, or like a
 * rendered tool call. The text remains readable. Takes linear time.
 */
export function neutraliseMarkers(text: string): string {
  return text.replace(delimiter, '< $1 $2').replace(toolMark, '\\[')
}
