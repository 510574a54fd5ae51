/** Who serves models of others, so that the name before the slash says nothing of who made them. */
const hosts = new Set(['azure', 'bedrock', 'dedicated', 'deepinfra', 'fireworks', 'groq', 'openrouter', 'together'])

/**
 * Whether two names are of models of one family: made by the same, as `openai/o3` and `openai/gpt-5` are, or called the
 * same, as `bedrock/claude-opus-5` and `claude-haiku-5` are.
 */
export function areOneFamily(one: string, other: string): boolean {
  const marks = marksOf(other)
  return marksOf(one).some((mark) => marks.includes(mark))
}

function marksOf(model: string): readonly string[] {
  const parts = model.toLowerCase().split('/')
  const maker = parts.at(-2)
  const name = /^[a-z]+/.exec(parts.at(-1) ?? '')?.[0]
  return [...(maker === undefined || hosts.has(maker) ? [] : [`${maker}/`]), ...(name === undefined ? [] : [name])]
}
