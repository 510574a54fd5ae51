import { OpenAI } from 'openai'
import type { RunningFleet } from './shared-fleet/shared-fleet.ts'

/** The OpenAI SDK for a fleet, without retries, so that a test sees each answer. */
export function openaiFor(fleet: RunningFleet, { apiKey = fleet.workspace.apiKey, url = fleet.url } = {}): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 })
}

export interface ChatCall {
  readonly model: string
  readonly stream?: boolean
  readonly content?: string
  readonly body?: Record<string, unknown>
  readonly headers?: Record<string, string>
  readonly signal?: AbortSignal
  readonly url?: string
  readonly apiKey?: string
}

/** Sends one chat request with `fetch`, for details that the SDK hides. */
export function postChat(fleet: Pick<RunningFleet, 'url' | 'workspace'>, call: ChatCall): Promise<Response> {
  const { model, stream = false, content = 'Why is the sky blue?', body = {}, headers = {} } = call
  return fetch(`${call.url ?? fleet.url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${call.apiKey ?? fleet.workspace.apiKey}`,
      'content-type': 'application/json',
      ...headers,
    },
    body: JSON.stringify({ model, stream, messages: [{ role: 'user', content }], ...body }),
    ...(call.signal === undefined ? {} : { signal: call.signal }),
  })
}
