import type { Json } from '../judged-traffic.ts'

export interface Answered {
  readonly status: number
  readonly text: string
  /** Null for another body than JSON. */
  readonly json: Json
}

export interface Asked {
  readonly method: string
  readonly apiKey?: string
  readonly body?: object | undefined
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends one request and reads the answer, also a plain array. */
export async function readJson(url: string, { method, apiKey, body, headers = {} }: Asked): Promise<Answered> {
  const response = await fetch(url, {
    method,
    headers: {
      ...headers,
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, text, json: /^[[{]/.test(text) ? JSON.parse(text) : null }
}
