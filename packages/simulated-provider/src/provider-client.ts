/** A minimal HTTP client of the simulated provider for tests, with no SDK between the test and the wire. */
export interface ProviderClient {
  /** POSTs JSON with a bearer key; `headers` are added. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>
  /** POSTs and reads the JSON answer. */
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on the wire's own shape
  json(path: string, body: unknown): Promise<any>
  /** POSTs with `stream: true` and reads every `data:` payload, `[DONE]` as that string. */
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on the wire's own shape
  events(path: string, body: object): Promise<any[]>
}

/** @param baseUrl the provider's origin */
export function providerClient(baseUrl: string): ProviderClient {
  const post: ProviderClient['post'] = (path, body, headers = {}) =>
    fetch(baseUrl + path, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  return {
    post,
    json: async (path, body) => readJson(await post(path, body)),
    events: async (path, body) => readEvents(await (await post(path, { ...body, stream: true })).text()),
  }
}

/**
 * A response's body as JSON.
 *
 * @throws SyntaxError when it is not JSON
 */
// biome-ignore lint/suspicious/noExplicitAny: tests assert on the wire's own shape
export async function readJson(response: Response): Promise<any> {
  return JSON.parse(await response.text())
}

/** The `data:` payloads of an event stream, parsed; `[DONE]` stays a string. */
export function readEvents(text: string): unknown[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => line.slice('data: '.length))
    .map((data) => (data === '[DONE]' ? data : JSON.parse(data)))
}
