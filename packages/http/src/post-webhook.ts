import type { BaseUrlRules } from './check-base-url.ts'
import { splitQuery, webhookUrlProblem } from './check-webhook-url.ts'
import { createGuardedUpstream, type GuardedUpstream } from './create-guarded-upstream.ts'
import type { ResolveHost } from './resolve-host.ts'
import { startUpstreamCall, type UpstreamRequest } from './upstream-call.ts'

export interface WebhookMessage {
  /** The URL as a workspace entered it. */
  readonly url: string
  readonly rules: BaseUrlRules
  /** Headers in addition to the type of the body. */
  readonly headers: Readonly<Record<string, string>>
  /** JSON text. */
  readonly body: string
  /** Resolves hosts that the operator did not name; by default with the name servers. */
  readonly resolve?: ResolveHost
}

/** The outcome of a message. Only a status from 200 to 299 means that it was accepted. */
export interface WebhookAnswer {
  /** Null without an answer. */
  readonly status: number | null
  /** Why it was not accepted, in words for the workspace; null when it was. */
  readonly error: string | null
}

/** A message takes at most `totalMs`, including the connection. */
const clocks = { firstByteMs: 10_000, idleMs: 5_000, totalMs: 15_000 }
const connectTimeoutMs = 5_000
/** Bytes of an answer that are read before its connection is closed. */
const maxAnswerBytes = 65_536

/**
 * Sends a message to public addresses, and to hosts that the operator allows. Redirects are not followed. Never
 * rejects: a message that is not accepted is an ordinary outcome.
 */
export async function postWebhook({
  url,
  rules,
  headers,
  body,
  ...resolution
}: WebhookMessage): Promise<WebhookAnswer> {
  // The rules may have changed since the URL was entered.
  const problem = webhookUrlProblem(url, rules)
  if (problem !== null) return { status: null, error: `The URL is refused: ${problem}.` }
  const { base, query } = splitQuery(url)
  const guarded = createGuardedUpstream({ baseUrl: base, rules, connections: 1, connectTimeoutMs, ...resolution })
  try {
    const status = await statusOf(guarded, {
      method: 'POST',
      path: `${guarded.basePath === '' ? '/' : guarded.basePath}${query}`,
      headers: { ...headers, 'content-type': 'application/json' },
      body: Buffer.from(body),
      clocks,
    })
    return { status, error: status >= 200 && status < 300 ? null : `It was answered with ${status}.` }
  } catch (error) {
    return {
      status: null,
      error: error instanceof Error ? `It could not be sent: ${error.message}.` : 'It could not be sent.',
    }
  } finally {
    await guarded.upstream.destroy()
  }
}

/** Only the status counts: an answer that is endless or cut off is an answer too. */
function statusOf({ upstream }: GuardedUpstream, request: UpstreamRequest): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  let answered: number | null = null
  let bytes = 0
  const call = startUpstreamCall(upstream, request, {
    onHead(status) {
      answered = status
    },
    onData(chunk) {
      bytes += chunk.length
      if (bytes > maxAnswerBytes) call.abort()
    },
    onEnd: () => resolve(answered ?? 0),
    onFailure({ kind }) {
      if (answered !== null) resolve(answered)
      else reject(new Error(`the call failed: ${kind}`))
    },
  })
  return promise
}
