/** URL and API key of a client. */
export interface Caller {
  readonly url: string
  readonly apiKey: string
}

// biome-ignore lint/suspicious/noExplicitAny: answers are read without a schema, like clients do
type Json = any

/** Sends a request to the API. @throws Error for any status other than 2xx */
export async function ask({ url, apiKey }: Caller, path: string, body?: object, headers: object = {}): Promise<Json> {
  const response = await fetch(`${url}/v1${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`)
  return JSON.parse(text)
}
