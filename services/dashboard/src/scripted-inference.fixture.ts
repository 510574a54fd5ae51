import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { type Identity, identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { type NamedKey, verifyIdentity } from '@ratchet/service-kit/identity/identity'

export interface InferenceCall {
  readonly path: string
  readonly body: unknown
  /** Null unless the dashboard signed it for inference. */
  readonly identity: Identity | null
}

/** Inference as the dashboard calls it, with scripted answers. */
export interface ScriptedInference {
  readonly env: { readonly INFERENCE_URL: string }
  readonly calls: InferenceCall[]
  answer: { readonly status: number; readonly body: unknown }
  stop(): Promise<void>
}

/** @param keyOf reads inference's own key, which the dashboard's is derived from */
export async function startScriptedInference(keyOf: () => NamedKey): Promise<ScriptedInference> {
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request
    const bound = { audience: 'inference', requestId: String(headers[requestIdHeader]), method, path }
    const verified = verifyIdentity([keyOf()], bound, String(headers[identityHeader]), Date.now())
    const identity = verified?.caller === 'dashboard' ? verified.identity : null
    const body = await text(request)
    scripted.calls.push({ path, body: body === '' ? null : JSON.parse(body), identity })
    const { status, body: answer } = scripted.answer
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const scripted: ScriptedInference = {
    env: { INFERENCE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
    calls: [],
    answer: { status: 200, body: {} },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return scripted
}
