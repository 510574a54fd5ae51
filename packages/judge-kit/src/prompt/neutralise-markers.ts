/** Names of the delimiters of a prompt, and of those that judges of other prompts know. */
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

const unseen = '\\p{Cf}{0,4}'
const gap = '[\\s\\p{Cf}]'
const open = '[<＜﹤]'
const close = '[>＞﹥]'

const delimiter = new RegExp(
  `${open}(${unseen}${open}${gap}{0,8}(?:${names})${gap}{1,8}[^\\s<>＜＞﹤﹥]{1,80}${gap}{0,8}${close})(${unseen}${close})`,
  'giu',
)

/** What a tool call or result begins with, as it is rendered. */
const toolMark = /(?<!\\)\[(?=\s{0,4}tool[\s_-]{0,4}(?:call|result)\s{0,4}\])/gi

/**
 * A text as it may stand in a prompt as data: what looks like one of the prompt's delimiters, whatever its nonce, or like
 * a rendered tool call is broken up, so that it can be read but not be taken for one. Takes linear time.
 */
export function neutraliseMarkers(text: string): string {
  return text.replace(delimiter, '< $1 $2').replace(toolMark, '\\[')
}
