/**
 * The origin of each item of an assembled `input`: its index in the client's own list, `whole` when that was a text,
 * null for an item of an earlier response.
 */
export type Places = readonly (number | 'whole' | null)[]

/** An error message with the path of the wrong field. */
export interface Complaint {
  readonly message: string
  readonly param: string | null
}

/** Rewrites the paths of an error so that items of `input` have the indices of the client's list. */
export function remapInputPaths({ message, param }: Complaint, places: Places): Complaint {
  const isEarlier = pathsIn(param ?? message).some((index) => places[index] === null)
  if (isEarlier) return { message: `In the responses before this one: ${message}`, param: 'previous_response_id' }
  return { message: renamed(message, places), param: param === null ? null : renamed(param, places) }
}

/** Matches `input.3.content.0` and, as OpenAI writes it, `input[3].content[0]`. */
const itemPath = /\binput(?:\.(?<dotted>\d+)|\[(?<bracketed>\d+)\])(?<rest>(?:\.\w+|\[\d+\])*)/g

function pathsIn(text: string): number[] {
  return [...text.matchAll(itemPath)].map(({ groups }) => Number(groups?.dotted ?? groups?.bracketed))
}

function renamed(text: string, places: Places): string {
  return text.replace(itemPath, (path, dotted: string | undefined, bracketed: string | undefined, rest: string) => {
    const place = places[Number(dotted ?? bracketed)]
    if (place === undefined || place === null) return path
    if (place === 'whole') return 'input'
    return dotted === undefined ? `input[${place}]${rest}` : `input.${place}${rest}`
  })
}
