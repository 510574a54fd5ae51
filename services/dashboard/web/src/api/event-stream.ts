/** An event of a stream, or the mark of a comment, which shows that the connection lives. */
export type StreamPart =
  | { readonly kind: 'comment' }
  | { readonly kind: 'event'; readonly name: string; readonly data: string }

/** Reads server-sent events from text that arrives in pieces. The platform's `EventSource` hides comments. */
export function createStreamReader(): (piece: string) => StreamPart[] {
  let rest = ''
  return (piece) => {
    const blocks = (rest + piece).replaceAll('\r\n', '\n').split('\n\n')
    rest = blocks.pop() ?? ''
    return blocks.flatMap(partOf)
  }
}

function partOf(block: string): StreamPart[] {
  const lines = block.split('\n')
  const values = (field: string) =>
    lines.filter((line) => line.startsWith(`${field}:`)).map((line) => line.slice(field.length + 1).replace(/^ /, ''))
  const data = values('data')
  if (data.length > 0) return [{ kind: 'event', name: values('event').at(-1) ?? 'message', data: data.join('\n') }]
  return lines.some((line) => line.startsWith(':')) ? [{ kind: 'comment' }] : []
}
