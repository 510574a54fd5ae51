export interface FetchLimits {
  /** Of the body of an answer, decompressed. */
  readonly maxBytes: number
  /** From the request to the end of the answer, milliseconds. */
  readonly totalMs: number
}

type Fetch = typeof globalThis.fetch

/**
 * A `fetch` whose answers end. The library that speaks with the provider of identities reads answers of any length for as long as
 * they take, and everybody who signs in waits for its first one.
 *
 * @throws TypeError of `fetch`, also when an answer is longer; DOMException `TimeoutError` when it takes longer
 */
export function limitFetch(fetch: Fetch, { maxBytes, totalMs }: FetchLimits): Fetch {
  return async (input, init) => {
    const own = AbortSignal.timeout(totalMs)
    const given = init?.signal ?? (input instanceof Request ? input.signal : null)
    const signal = given === null ? own : AbortSignal.any([given, own])
    const answer = await fetch(input, { ...init, signal })
    const { status, statusText, headers, body } = answer
    if (body === null) return answer
    const chunks: Uint8Array[] = []
    let bytes = 0
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      bytes += chunk.length
      if (bytes > maxBytes) throw new TypeError(`an answer has more than ${maxBytes} bytes`)
      chunks.push(chunk)
    }
    return new Response(Buffer.concat(chunks), { status, statusText, headers })
  }
}
