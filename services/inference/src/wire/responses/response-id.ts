/** A response has the id of its request, so that one can be derived from the other. */
export function responseIdOf(requestId: string): string {
  return `resp_${hexOf(requestId)}`
}

/** The id of an output item, or of an input item without one. */
export function itemIdOf(prefix: 'msg' | 'rs' | 'fc' | 'ctc' | 'in', requestId: string, index: number): string {
  return `${prefix}_${hexOf(requestId)}${index.toString(16).padStart(4, '0')}`
}

/** The UUID of the request; null for an id that the gateway cannot have given. */
export function requestIdOf(responseId: string): string | null {
  const parts = /^resp_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/.exec(responseId)
  return parts === null ? null : parts.slice(1).join('-')
}

function hexOf(requestId: string): string {
  return requestId.replaceAll('-', '')
}
