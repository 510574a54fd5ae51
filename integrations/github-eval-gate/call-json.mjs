import { setTimeout as sleep } from 'node:timers/promises'

/** Refusals that may pass: the request is repeated, which an idempotency key makes safe. */
const passing = [408, 429, 502, 503, 504]
const maxAttempts = 4

/** An answer that is no success. */
class CallError extends Error {
  constructor(status, reply, url) {
    super(reply?.error?.message ?? reply?.message ?? `${new URL(url).pathname} answered ${status}.`)
    this.status = status
    this.reply = reply
  }
}

/**
 * Sends a request and reads its answer as JSON.
 *
 * @throws CallError for an answer that is no success; an error of fetch when there is no answer
 */
export async function callJson(method, url, { body, headers = {} } = {}) {
  for (let attempt = 1; ; attempt += 1) {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const response = await fetch(url, { method, headers: { accept: 'application/json', ...type, ...headers }, ...sent })
    const text = await response.text()
    const reply = text === '' ? null : JSON.parse(text)
    if (response.ok) return reply
    if (!passing.includes(response.status) || attempt === maxAttempts) throw new CallError(response.status, reply, url)
    await sleep(Number(response.headers.get('retry-after') ?? 2 ** attempt) * 1_000)
  }
}
