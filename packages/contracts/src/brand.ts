/** The brand word of a deployment that sets no other (`BRAND_WORD`). No other file contains it. */
export const defaultBrandWord = 'Svc'

/** Every name on the wire that contains the brand word. */
export interface Brand {
  readonly word: string
  /** The prefix of every API key, such as `sk_svc_`. */
  readonly keyPrefix: string
  readonly headers: {
    readonly alias: string
    readonly servedModel: string
    readonly costUsd: string
    readonly cache: string
    readonly cacheTtl: string
    readonly dropped: string
    readonly fallbackFrom: string
    readonly log: string
    readonly logged: string
    /** Seconds that a request waits for a dedicated endpoint to start. */
    readonly maxWait: string
    /** Followed by a hyphen and a name, it is the header of one value. */
    readonly metadata: string
    readonly session: string
    readonly store: string
    readonly strict: string
    readonly tag: string
    readonly traceId: string
    readonly user: string
  }
}

/**
 * @param word letters and digits, starting with a letter; headers contain it unchanged, keys in lower case
 * @throws RangeError when the word is not valid in a header name
 */
export function brandOf(word: string = defaultBrandWord): Brand {
  if (!/^[A-Za-z][A-Za-z0-9]{0,15}$/.test(word)) throw new RangeError(`not a brand word: ${word}`)
  const header = (name: string) => `X-${word}-${name}`
  return {
    word,
    keyPrefix: `sk_${word.toLowerCase()}_`,
    headers: {
      alias: header('Alias'),
      servedModel: header('Served-Model'),
      costUsd: header('Cost-Usd'),
      cache: header('Cache'),
      cacheTtl: header('Cache-Ttl'),
      dropped: header('Dropped'),
      fallbackFrom: header('Fallback-From'),
      log: header('Log'),
      logged: header('Logged'),
      maxWait: header('Max-Wait'),
      metadata: header('Metadata'),
      session: header('Session'),
      store: header('Store'),
      strict: header('Strict'),
      tag: header('Tag'),
      traceId: header('Trace-Id'),
      user: header('User'),
    },
  }
}
