export interface RetryOptions {
  /** Further attempts after the first; 2 by default. */
  readonly maxRetries: number
  /** A longer `Retry-After` is not waited for: the error is thrown. */
  readonly maxDelayMs: number
  readonly fetch: (request: Request) => Promise<Response>
  readonly sleep: (delayMs: number, signal: AbortSignal) => Promise<void>
  readonly random: () => number
}

const transient = new Set([408, 429, 500, 502, 503, 504])
const safeMethods = new Set(['GET', 'HEAD', 'PUT', 'DELETE'])

/**
 * Sends a request, and sends it again while the answer says that this can help. A request that changes something is repeated only
 * when the server would recognize it: by its method, or by its `Idempotency-Key`. One that was refused with 429 did nothing.
 */
export async function fetchWithRetries(request: Request, options: RetryOptions): Promise<Response> {
  const isRepeatable = canRepeat(request)
  for (let attempt = 0; ; attempt += 1) {
    const isLast = attempt >= options.maxRetries
    // The original stays unread, so that it can be sent again.
    const sent = options.fetch(isLast ? request : request.clone())
    const response = await sent.catch((error: unknown) => {
      if (isLast || !isRepeatable || request.signal.aborted) throw error
      return null
    })
    if (response !== null && (isLast || !isWorthRetrying(response, isRepeatable))) return response
    const delayMs = delayOf(response, attempt, options)
    if (response !== null && delayMs > options.maxDelayMs) return response
    await response?.body?.cancel()
    await options.sleep(delayMs, request.signal)
  }
}

/** After a lost answer, a change of a certain version would be answered as a conflict with itself. */
function canRepeat({ method, headers }: Request): boolean {
  return (safeMethods.has(method) && !headers.has('If-Match')) || headers.has('Idempotency-Key')
}

function isWorthRetrying({ status, headers }: Response, isRepeatable: boolean): boolean {
  if (status === 429) return true
  return isRepeatable && (transient.has(status) || (status === 409 && headers.has('Retry-After')))
}

/** Half a second, doubled each time, and a random part, so that many clients do not come back together. */
function delayOf(response: Response | null, attempt: number, { random }: RetryOptions): number {
  const seconds = Number(response?.headers.get('Retry-After') ?? Number.NaN)
  if (Number.isFinite(seconds) && seconds >= 0) return seconds * 1_000
  return Math.min(500 * 2 ** attempt, 8_000) * (0.5 + random() / 2)
}

/** @throws the reason of the signal when it is aborted meanwhile */
export function sleepUnlessAborted(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort)
      resolve()
    }, delayMs)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
}
