/** A conversation of a question and its answer, as a line of training data. */
export function exampleLine(question: string, answer = 'Yes.', more: object = {}): string {
  const messages = [
    { role: 'user', content: question },
    { role: 'assistant', content: answer },
  ]
  return JSON.stringify({ messages, ...more })
}

/** A better and a worse answer to a question. */
export function pairLine(question: string, better = 'Yes.', worse = 'No.'): string {
  return JSON.stringify({
    input: { messages: [{ role: 'user', content: question }] },
    preferred_output: [{ role: 'assistant', content: better }],
    non_preferred_output: [{ role: 'assistant', content: worse }],
  })
}

export function linesOf(...lines: readonly string[]): Buffer {
  return Buffer.from(lines.map((line) => `${line}\n`).join(''))
}

/** Different conversations. */
export function manyExamples(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => exampleLine(`Question ${index}?`))
}
