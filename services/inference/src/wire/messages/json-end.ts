/** Finds the end of a JSON object whose text arrives in pieces, in linear time. */
export interface JsonEnd {
  push(piece: string): void
  /** True after the last brace of the object. */
  readonly reached: boolean
}

export function createJsonEnd(): JsonEnd {
  let depth = 0
  let isReached = false
  let isInString = false
  let isEscaped = false
  function read(character: string): void {
    if (isEscaped) isEscaped = false
    else if (isInString && character === '\\') isEscaped = true
    else if (character === '"') isInString = !isInString
    else if (isInString) return
    else if (character === '{') depth += 1
    else if (character === '}') {
      depth -= 1
      isReached = depth === 0
    }
  }
  return {
    push(piece) {
      for (let at = 0; at < piece.length && !isReached; at += 1) read(piece.charAt(at))
    },
    get reached() {
      return isReached
    },
  }
}
