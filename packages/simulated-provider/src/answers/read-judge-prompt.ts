/**
 * The content of a judge prompt, which must have this form:
 *
 *     <<candidate NONCE>>          <<first NONCE>>
 *     text of the answer           text of one answer
 *     <<end NONCE>>                <<end NONCE>>
 *                                  <<second NONCE>>
 *                                  text of the other answer
 *                                  <<end NONCE>>
 *
 * A delimiter is a separate line. NONCE is 4 to 64 letters, digits, `-` or `_`, new for each prompt, and the same in all
 * delimiters of a prompt. A block ends at the end line with its own nonce, so an answer that imitates delimiters remains
 * inside its block. Of several blocks with the same name the last one is used.
 */
export type JudgePrompt =
  | { kind: 'single'; candidate: string; frame: string }
  | { kind: 'pair'; first: string; second: string; frame: string }

const opening = /^<<(candidate|first|second) ([A-Za-z0-9_-]{4,64})>>$/

/**
 * Reads the candidates in a judge prompt. Without delimiters the whole text is the candidate. `frame` is the rest of
 * the prompt without nonces: prompts for the same candidates have the same frame.
 */
export function readJudgePrompt(text: string): JudgePrompt {
  const { blocks, rest, nonces } = readBlocks(text.split(/\r?\n/))
  const frame = [...nonces].reduce((left, nonce) => left.replaceAll(nonce, ''), rest.join('\n'))
  const first = blocks.get('first')
  const second = blocks.get('second')
  if (first !== undefined && second !== undefined) return { kind: 'pair', first, second, frame }
  const candidate = blocks.get('candidate')
  return candidate === undefined ? { kind: 'single', candidate: text, frame: '' } : { kind: 'single', candidate, frame }
}

function readBlocks(lines: readonly string[]) {
  const blocks = new Map<string, string>()
  const nonces = new Set<string>()
  const rest: string[] = []
  const lastEnds = new Map(lines.map((line, index) => [line.trim(), index]))
  for (let index = 0; index < lines.length; index += 1) {
    const line = (lines[index] ?? '').trim()
    const [, name, nonce] = opening.exec(line) ?? []
    const closing = `<<end ${nonce}>>`
    // An opening without an end is ordinary text. The last position of each line keeps this linear.
    if (name === undefined || nonce === undefined || (lastEnds.get(closing) ?? -1) <= index) {
      rest.push(line)
      continue
    }
    const end = nextLine(lines, index + 1, closing)
    blocks.set(name, lines.slice(index + 1, end).join('\n'))
    nonces.add(nonce)
    index = end
  }
  return { blocks, rest, nonces }
}

function nextLine(lines: readonly string[], from: number, requested: string): number {
  let index = from
  while (index < lines.length && lines[index]?.trim() !== requested) index += 1
  return index
}
