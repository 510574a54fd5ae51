/** Who asks, and where. */
export interface Caller {
  readonly url: string
  readonly apiKey: string
}

// biome-ignore lint/suspicious/noExplicitAny: answers are read as their readers would
type Json = any

/** Asks for something of the API. @throws Error for any answer but a 2xx */
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
