export interface OutgoingRequest {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

export interface IncomingReply {
  readonly status: number
  readonly isOk: boolean
  readonly headers: Headers
  readonly text: string
}

/**
 * Sends a request to the deployment that the operator named. It does not follow redirects, because their target was not
 * named, and a POST would become a GET.
 */
export async function sendRequest(
  url: string | URL,
  { timeoutMs, signal, ...init }: OutgoingRequest,
): Promise<IncomingReply> {
  const timeout = AbortSignal.timeout(timeoutMs)
  const response = await fetch(url, {
    ...init,
    redirect: 'manual',
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
  })
  return { status: response.status, isOk: response.ok, headers: response.headers, text: await response.text() }
}

/** A reply whose body is read piece by piece, however long that takes. */
export interface OpenReply {
  readonly status: number
  readonly body: AsyncIterable<string>
}

/** Sends a request like {@link sendRequest}; rejects only before the body. */
export async function openRequest(url: string | URL, headers: Readonly<Record<string, string>>): Promise<OpenReply> {
  const { status, body } = await fetch(url, { headers, redirect: 'manual' })
  return { status, body: body === null ? noPieces() : body.pipeThrough(new TextDecoderStream()) }
}

async function* noPieces(): AsyncGenerator<never> {}

/** A reply with bytes, which are read piece by piece. */
export interface ByteReply {
  readonly status: number
  readonly body: AsyncIterable<Uint8Array>
}

/**
 * Opens a file. A redirect is followed once and without the headers, because a signed address needs no key, and its host must not
 * get one.
 */
export async function openBytes(url: string | URL, headers: Readonly<Record<string, string>>): Promise<ByteReply> {
  const first = await fetch(url, { headers, redirect: 'manual' })
  const location = first.status === 302 ? first.headers.get('location') : null
  const { status, body } = location === null ? first : await fetch(new URL(location, url), { redirect: 'error' })
  return { status, body: body ?? noPieces() }
}
