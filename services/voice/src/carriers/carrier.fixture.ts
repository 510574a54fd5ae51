import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { StreamCarrier } from '@ratchet/contracts/voice/number-providers'

/** A request that the API of a carrier got. */
export interface ApiRequest {
  readonly method: string
  readonly path: string
  readonly authorization: string
  readonly fields: Readonly<Record<string, unknown>>
}

export const authToken = 'a-token-of-twilio'
export const accountSid = `AC${'0'.repeat(32)}`
export const apiKey = 'KEY-of-telnyx'

/** The API of Twilio and of Telnyx, which says to have these numbers, and takes every call. */
export async function startCarrierApi() {
  const requests: ApiRequest[] = []
  const numbers = new Set<string>()
  const state = { dialStatus: 201, calls: 0 }
  const server = createServer(async (request, response) => {
    const asked = await apiRequest(request)
    requests.push(asked)
    const isAuthorized =
      asked.authorization === `Bearer ${apiKey}` ||
      asked.authorization === `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`
    const answer = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (!isAuthorized) return answer(401, { message: 'no' })
    const found = [...numbers].filter((number) => asked.path.endsWith(encodeURIComponent(number)))
    const list = found.map((phone_number) => ({ phone_number }))
    if (asked.method === 'GET') return answer(200, { incoming_phone_numbers: list, data: list })
    if (/\/Calls(?:\.json)?$/.test(asked.path)) state.calls++
    return answer(state.dialStatus, state.dialStatus < 300 ? { sid: `CA${state.calls}`, status: 'queued' } : {})
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { origin, requests, numbers, state, close: () => void server.close() }
}

async function apiRequest(request: IncomingMessage): Promise<ApiRequest> {
  const body = Buffer.concat(await request.toArray()).toString()
  const isJson = request.headers['content-type']?.includes('json') === true
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    authorization: request.headers.authorization ?? '',
    fields: isJson ? JSON.parse(body) : formFields(body),
  }
}

/** Fields that come more than once are joined. */
function formFields(body: string): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const [name, value] of new URLSearchParams(body)) {
    fields[name] = fields[name] === undefined ? value : `${fields[name]} ${value}`
  }
  return fields
}

const pair = generateKeyPairSync('ed25519')
export const telnyxPublicKey = pair.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')

/** The headers with which a carrier signs a request. */
export function signedHeaders(
  carrier: StreamCarrier,
  {
    url,
    body,
    token = authToken,
    key = pair.privateKey,
  }: { url: string; body: string; token?: string; key?: KeyObject },
): Record<string, string> {
  if (carrier === 'telnyx') {
    const timestamp = String(Math.floor(Date.now() / 1_000))
    const signature = sign(null, Buffer.from(`${timestamp}|${body}`), key).toString('base64')
    return { 'telnyx-timestamp': timestamp, 'telnyx-signature-ed25519': signature }
  }
  const sorted = [...new URLSearchParams(body)].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const text = url + sorted.map(([name, value]) => name + value).join('')
  return { 'x-twilio-signature': createHmac('sha1', token).update(text).digest('base64') }
}
